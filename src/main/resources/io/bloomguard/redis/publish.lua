-- Serves a built image in place of the one before, in one step.
-- KEYS: head, new image, lock (partition 0; any other: the head again), old serving image, old
-- previous image; the last two are the new image again where there is none.
-- ARGV: the caller's view; the new image's id; fencing token; lock owner (empty: not asked);
-- its BUILDING seal, last word's byte, READY header, READY trailer, trailer's byte;
-- for the old one: READY seal, last word's byte, RETIRED header, RETIRED trailer, trailer's byte;
-- its generation.
-- Answers ok, or reread, fenced, damaged.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'fenced'} end
local head = redis.call('HMGET', KEYS[1], 'serving', 'building', 'previous', 'token',
  'building-fingerprint', 'serving-fingerprint', 'last', 'hashing')
if ARGV[4] ~= '' and redis.call('GET', KEYS[3]) ~= ARGV[4] then return {'fenced'} end
if head[2] ~= ARGV[2] or head[4] ~= ARGV[3] then return {'fenced'} end
local view = (head[1] or '') .. ',' .. (head[2] or '') .. ',' .. (head[3] or '')
  .. ',' .. (head[8] or '')
if view ~= ARGV[1] then return {'reread'} end

local function sealed(image, seal, last)
  return redis.call('TYPE', image).ok == 'string'
    and redis.call('GETRANGE', image, 0, 7) == seal
    and redis.call('GETRANGE', image, last, last + 7) == seal
end
if not sealed(KEYS[2], ARGV[5], tonumber(ARGV[6])) then return {'damaged'} end

if head[3] then redis.call('UNLINK', KEYS[5]) end
redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint')
if head[1] then
  -- A reader that still knows the old image must learn that it answers no more. One that was
  -- damaged is not worth keeping.
  if sealed(KEYS[4], ARGV[10], tonumber(ARGV[11])) then
    redis.call('SETRANGE', KEYS[4], 0, ARGV[12])
    redis.call('SETRANGE', KEYS[4], ARGV[14], ARGV[13])
    redis.call('HSET', KEYS[1], 'previous', head[1], 'previous-fingerprint', head[6])
  else
    redis.call('UNLINK', KEYS[4])
  end
end
redis.call('SETRANGE', KEYS[2], ARGV[9], ARGV[8])
redis.call('SETRANGE', KEYS[2], 0, ARGV[7])
redis.call('HDEL', KEYS[1], 'building', 'building-fingerprint')
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], 'serving', ARGV[2], 'serving-fingerprint', head[5],
  'last', ARGV[15], 'swapped', now)
if ARGV[4] ~= '' then redis.call('DEL', KEYS[3]) end
return {'ok'}
