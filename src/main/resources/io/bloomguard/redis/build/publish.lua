-- Serves a built image in place of the one before, in one step. After partition.lua, and after the
-- lock among the KEYS (partition 0; any other: the head again).
-- ARGV, from the fifth: the new image's id; fencing token; lock owner (empty: not asked); its
-- BUILDING seal, last word's byte, READY header, READY trailer, trailer's byte; for the serving one
-- READY seal, last word's byte, RETIRED header, RETIRED trailer, trailer's byte; its generation;
-- how many keys it was built from.
-- Answers ok, or headless, reread, fenced, damaged, unsettled.
if ARGV[7] ~= '' and redis.call('GET', KEYS[6]) ~= ARGV[7] then return {'fenced'} end
if head.building ~= ARGV[5] or head.token ~= ARGV[6] then return {'fenced'} end
local old, image, older = KEYS[3], KEYS[4], KEYS[5]
if not sealed(image, ARGV[8], tonumber(ARGV[9])) or not in_step(image) then return {'damaged'} end
-- Until every writer has added again what was lost, the image may lack it.
if head.settled ~= head.losses then return {'unsettled'} end

if head.previous then drop(older, 'previous') end
redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint', 'previous-keys')
if head.serving then
  -- A reader that still knows the old image must learn that it answers no more. One that was
  -- damaged is not worth keeping, and one that lacks what was lost must never serve again.
  local complete = head.rebuild ~= 'source'
  if complete and sealed(old, ARGV[13], tonumber(ARGV[14])) and in_step(old) then
    redis.call('SETRANGE', old, 0, ARGV[15])
    redis.call('SETRANGE', old, ARGV[17], ARGV[16])
    redis.call('HSET', KEYS[1], 'previous', head.serving, 'previous-fingerprint',
      head['serving-fingerprint'], 'previous-keys', head['serving-keys'] or '0')
  else
    drop(old, 'serving')
  end
end
local epoch = head.server .. ':' .. head.losses
redis.call('SETRANGE', image, ARGV[12], ARGV[11])
redis.call('SETRANGE', image, 64, digest(epoch))
redis.call('SETRANGE', image, 0, ARGV[10])
redis.call('HDEL', KEYS[1], 'building', 'building-fingerprint', 'noted', 'since', 'rebuild')
redis.call('HSET', KEYS[1], 'serving', head.building, 'serving-fingerprint',
  head['building-fingerprint'], 'serving-keys', ARGV[19], 'last', ARGV[18], 'swapped', text(math.floor(now / 1000)), 'epoch',
  epoch)
if ARGV[7] ~= '' then redis.call('DEL', KEYS[6]) end
return {'ok'}
