-- Counts a null entry, if there is room. No null entry outlives a window, so the count of this
-- window and the previous one includes every live entry.
-- KEYS: a hash of counts by window. ARGV: window in ms, bound. Answers ok or full.
local time = redis.call('TIME')
local window = math.floor((time[1] * 1000 + math.floor(time[2] / 1000)) / tonumber(ARGV[1]))
local now, before = string.format('%.0f', window), string.format('%.0f', window - 1)
local counts = redis.call('HMGET', KEYS[1], now, before)
if tonumber(counts[1] or '0') + tonumber(counts[2] or '0') >= tonumber(ARGV[2]) then
  return {'full'}
end
if not counts[1] then
  redis.call('DEL', KEYS[1])
  if counts[2] then redis.call('HSET', KEYS[1], before, counts[2]) end
end
redis.call('HINCRBY', KEYS[1], now, 1)
redis.call('PEXPIRE', KEYS[1], 2 * tonumber(ARGV[1]))
return {'ok'}
