-- Registers a build: from here on adds go to its image too. Clears a crashed one.
-- KEYS: head, journal, the new image, and the image of the crashed build, if any.
-- ARGV: the caller's view of the head; the new image's id, fingerprint, fencing token, header,
-- trailer and byte of its trailer; retention in ms.
-- Answers ok, or headless, reread, fenced.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'headless'} end
local head = redis.call('HMGET', KEYS[1], 'format', 'serving', 'building', 'previous', 'token',
  'hashing')
if not head[1] then return {'headless'} end
local view = (head[2] or '') .. ',' .. (head[3] or '') .. ',' .. (head[4] or '')
  .. ',' .. (head[6] or '')
if view ~= ARGV[1] then return {'reread'} end
-- Partition 0 holds the token since the lock was taken; the others learn it here.
if tonumber(head[5] or '0') > tonumber(ARGV[4]) then return {'fenced'} end

if KEYS[4] then redis.call('UNLINK', KEYS[4]) end
-- What is older than the retention need not be in the new generation. A journal that is no stream
-- cannot be replayed; begin it anew.
if redis.call('TYPE', KEYS[2]).ok ~= 'stream' then redis.call('UNLINK', KEYS[2]) end
local time = redis.call('TIME')
local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[8])
redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f', oldest))

redis.call('UNLINK', KEYS[3])
redis.call('SETRANGE', KEYS[3], ARGV[7], ARGV[6])
redis.call('SETRANGE', KEYS[3], 0, ARGV[5])
redis.call('HSET', KEYS[1], 'building', ARGV[2], 'building-fingerprint', ARGV[3], 'token', ARGV[4])
return {'ok'}
