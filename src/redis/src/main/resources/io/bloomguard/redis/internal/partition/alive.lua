-- Keeps a writer that is still adding again on the list: the others wait for it.
-- KEYS: writers. ARGV: the writer; the loss epoch up to which it added before; the entry's lifetime
-- in ms; 1 if the filter has a source to be built from, else 0. Answers ok.
if redis.call('TYPE', KEYS[1]).ok == 'none' or redis.call('TYPE', KEYS[1]).ok == 'hash' then
  local time = redis.call('TIME')
  local ends = time[1] * 1000000 + time[2] + tonumber(ARGV[3]) * 1000
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. '|' .. string.format('%.0f', ends) .. '|' .. ARGV[4])
end
return {'ok'}
