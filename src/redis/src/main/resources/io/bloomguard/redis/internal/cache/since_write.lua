-- Returns the time since the last write of a key ended.
-- KEYS: barrier, written. ARGV: lifetime of a note in ms.
-- Answers open, never, or ended and the ms since then, rather too few than too many.
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
if redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf') > 0 then return {'open'} end
local left = redis.call('PTTL', KEYS[2])
if left < 0 then return {'never'} end
return {'ended', math.max(0, tonumber(ARGV[1]) - left - 1)}
