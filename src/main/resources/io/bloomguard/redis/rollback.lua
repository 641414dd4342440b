-- Lets the image before serve again, in one step. It was kept in step by every add since.
-- KEYS: head, serving image, previous image. ARGV: the caller's view;
-- for the serving one: READY seal, last word's byte, RETIRED header, RETIRED trailer, trailer's byte;
-- for the previous one: RETIRED seal, last word's byte, READY header, READY trailer, trailer's byte.
-- Answers ok, or reread, damaged.
local head = redis.call('HMGET', KEYS[1], 'serving', 'building', 'previous',
  'serving-fingerprint', 'previous-fingerprint', 'hashing')
local view = (head[1] or '') .. ',' .. (head[2] or '') .. ',' .. (head[3] or '')
  .. ',' .. (head[6] or '')
if view ~= ARGV[1] then return {'reread'} end

local function sealed(image, seal, last)
  return redis.call('TYPE', image).ok == 'string'
    and redis.call('GETRANGE', image, 0, 7) == seal
    and redis.call('GETRANGE', image, last, last + 7) == seal
end
if not sealed(KEYS[3], ARGV[7], tonumber(ARGV[8])) then return {'damaged'} end
redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint')
if sealed(KEYS[2], ARGV[2], tonumber(ARGV[3])) then
  redis.call('SETRANGE', KEYS[2], 0, ARGV[4])
  redis.call('SETRANGE', KEYS[2], ARGV[6], ARGV[5])
  redis.call('HSET', KEYS[1], 'previous', head[1], 'previous-fingerprint', head[4])
else
  redis.call('UNLINK', KEYS[2])
end
redis.call('SETRANGE', KEYS[3], ARGV[11], ARGV[10])
redis.call('SETRANGE', KEYS[3], 0, ARGV[9])
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], 'serving', head[3], 'serving-fingerprint', head[5], 'swapped', now)
return {'ok'}
