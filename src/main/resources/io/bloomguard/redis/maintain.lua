-- Drops the image before once its grace is over, and journal entries past the retention.
-- KEYS: head, journal, previous image (the head again where there is none).
-- ARGV: the caller's view; retention in ms. Answers ok, or headless, reread.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'headless'} end
local head = redis.call('HMGET', KEYS[1], 'serving', 'building', 'previous', 'swapped', 'hashing')
local view = (head[1] or '') .. ',' .. (head[2] or '') .. ',' .. (head[3] or '')
  .. ',' .. (head[5] or '')
if view ~= ARGV[1] then return {'reread'} end
local time = redis.call('TIME')
local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[2])
if head[3] and tonumber(head[4] or '0') < oldest then
  redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint')
  redis.call('UNLINK', KEYS[3])
end
if not head[2] and redis.call('TYPE', KEYS[2]).ok == 'stream' then
  redis.call('XTRIM', KEYS[2], 'MINID', '~', string.format('%.0f', oldest))
end
return {'ok'}
