-- Registers a build: from here on adds go to its image too. Clears a crashed build. After
-- partition.lua, and after the new image among the KEYS.
-- ARGV, from the fifth: the new image's id, fingerprint, fencing token, header, trailer and byte of
-- its trailer; the time of journal entries in ms.
-- Answers ok, the present moment and that from which on the journal is whole, in ms; headless, reread or
-- fenced.
local id, fingerprint, token, header, trailer, trailer_at, entries_ms = unpack(ARGV, 5)

-- Partition 0 holds the token since the lock was taken; the others learn it here.
if tonumber(head.token or '0') > tonumber(token) then return {'fenced'} end

if head.building then redis.call('UNLINK', KEYS[4]) end
-- Older adds need not be in the new generation.
local oldest = math.floor(now / 1000) - tonumber(entries_ms)
from_now_on(oldest)
if redis.call('TYPE', KEYS[2]).ok == 'stream' then redis.call('XTRIM', KEYS[2], 'MINID', text(oldest)) end

local image = KEYS[6]
redis.call('UNLINK', image)
redis.call('SETRANGE', image, trailer_at, trailer)
redis.call('SETRANGE', image, 0, header)
redis.call('BITFIELD', image, 'SET', 'i64', BEAT, text(beat))
redis.call('HSET', KEYS[1], 'building', id, 'building-fingerprint', fingerprint, 'token', token)
return {'ok', math.floor(now / 1000), whole}
