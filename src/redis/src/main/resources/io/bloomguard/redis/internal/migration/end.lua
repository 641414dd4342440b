-- Ends a migration in a partition: its hash scheme stands alone.
-- KEYS: head. ARGV: the scheme with the mark of one that arrives; the scheme. Answers ok.
if redis.call('TYPE', KEYS[1]).ok == 'hash'
  and redis.call('HGET', KEYS[1], 'hashing') == ARGV[1] then
  redis.call('HSET', KEYS[1], 'hashing', ARGV[2])
end
return {'ok'}
