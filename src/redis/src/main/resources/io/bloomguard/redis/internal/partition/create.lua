-- Creates the head of a partition that has none. Removes leftover images in the same step: a reader
-- that remembers the lost head would trust them and miss every later add. After format.lua.
-- KEYS: head, then every image found of the partition.
-- ARGV: replace to replace any existing head, else keep; the hash scheme of this head's keys; the
-- server that the caller speaks to; the lineage of this head; those that it succeeds, as meet.lua has
-- them, empty for none. Answers ok.
if ARGV[1] == 'keep' and redis.call('TYPE', KEYS[1]).ok == 'hash'
  and redis.call('HEXISTS', KEYS[1], 'format') == 1
  and redis.call('HEXISTS', KEYS[1], 'hashing') == 1 then
  return {'ok'}
end
-- The filter's enforcement does not depend on its content: that of version 0.9.
local enforcement = redis.call('TYPE', KEYS[1]).ok == 'hash'
  and redis.call('HGET', KEYS[1], 'enforcement')
for i = 1, #KEYS do redis.call('UNLINK', KEYS[i]) end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
redis.call('HSET', KEYS[1], 'format', FORMAT, 'hashing', ARGV[2], 'server', ARGV[3], 'losses', now,
  'since', now, 'beat', now, 'lineage', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'met', ARGV[5]) end
if enforcement then redis.call('HSET', KEYS[1], 'enforcement', enforcement) end
return {'ok'}
