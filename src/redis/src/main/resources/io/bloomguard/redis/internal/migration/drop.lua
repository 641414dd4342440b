-- Drops the head of a partition that is of another hash scheme than the filter, with its journal
-- and writers: the process that makes a new head drops the images.
-- KEYS: head, journal, writers. ARGV: the scheme as last read in the head. Answers ok, or changed.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HGET', KEYS[1], 'hashing') ~= ARGV[1] then
  return {'changed'}
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return {'ok'}
