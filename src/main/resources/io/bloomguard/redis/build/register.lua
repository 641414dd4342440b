-- Registers a build: from here on adds go to its image too. Clears a crashed one. After
-- partition.lua, and after the new image among the KEYS.
-- ARGV, from the fifth: the new image's id, fingerprint, fencing token, header, trailer and byte of
-- its trailer; the time of journal entries in ms; the error rate and capacity of the filter of the
-- module beside it, empty for none.
-- Answers ok; headless, reread, fenced; refused and why.

-- Partition 0 holds the token since the lock was taken; the others learn it here.
if tonumber(head.token or '0') > tonumber(ARGV[7]) then return {'fenced'} end

local items = 0
if ARGV[12] ~= '' then
  local refusal
  items, refusal = module_make(KEYS[6], ARGV[12], ARGV[13])
  if refusal then return {'refused', refusal} end
end
if head.building then drop(KEYS[4], 'building') end
-- What is older than that need not be in the new generation.
if redis.call('TYPE', KEYS[2]).ok == 'stream' then
  local oldest = math.floor(now / 1000) - tonumber(ARGV[11])
  redis.call('XTRIM', KEYS[2], 'MINID', text(oldest))
end

local image = KEYS[6]
redis.call('UNLINK', image)
redis.call('SETRANGE', image, ARGV[10], ARGV[9])
redis.call('SETRANGE', image, 0, ARGV[8])
redis.call('BITFIELD', image, 'SET', 'i64', '#6', items, 'SET', 'i64', '#9', text(beat))
redis.call('HSET', KEYS[1], 'building', ARGV[5], 'building-fingerprint', ARGV[6], 'token', ARGV[7])
return {'ok'}
