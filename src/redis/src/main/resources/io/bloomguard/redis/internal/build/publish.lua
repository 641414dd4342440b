-- Serves a built image in place of the previous one, in one step. After partition.lua, and after
-- the lock among the KEYS (partition 0; any other: the head again).
-- ARGV, from the fifth: the new image's id; fencing token; lock owner (empty: not checked); its
-- BUILDING seal, last word's byte, READY header, READY trailer, trailer's byte; for the serving one
-- READY seal, last word's byte, RETIRED header, RETIRED trailer, trailer's byte; its generation;
-- the number of keys that it was built from; the begin of the feed that it followed, 0 for none; its
-- origin (BuildOrigin); the time of the data of its image set in ms, 0 for none; 1 if it may lack adds, so that
-- it denies no key until the next generation; 1 to keep the serving one for a rollback.
-- Answers ok and what to wait for, or headless, reread, fenced, damaged, unsettled.
local id, token, owner, building_seal, built_last, ready_header, ready_trailer, ready_trailer_at,
  serving_seal, serving_last, retired_header, retired_trailer, retired_trailer_at, generation,
  keys_read, begun, origin, as_of, lacks, keeps = unpack(ARGV, 5)
if owner ~= '' and redis.call('GET', KEYS[6]) ~= owner then return {'fenced'} end
if head.building ~= id or head.token ~= token then return {'fenced'} end
local old, image, older = KEYS[3], KEYS[4], KEYS[5]
if not sealed(image, building_seal, tonumber(built_last)) or not in_step(image) then return {'damaged'} end
-- The image may lack lost adds until every writer has added them again.
if head.settled ~= head.losses then return {'unsettled'} end

if head.previous then redis.call('UNLINK', older) end
redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint', 'previous-keys')
if head.serving then
  -- A reader that still knows the old image must learn that it no longer answers. A damaged image
  -- is not worth keeping, and an image that lacks lost adds, or changes from before the feed began,
  -- must never serve again.
  local complete = keeps == '1' and head.rebuild ~= 'source'
    and tonumber(head['serving-begun'] or '0') >= tonumber(begun)
  if complete and sealed(old, serving_seal, tonumber(serving_last)) and in_step(old) then
    redis.call('SETRANGE', old, 0, retired_header)
    redis.call('SETRANGE', old, retired_trailer_at, retired_trailer)
    redis.call('HSET', KEYS[1], 'previous', head.serving, 'previous-fingerprint',
      head['serving-fingerprint'], 'previous-keys', head['serving-keys'] or '0')
  else
    redis.call('UNLINK', old)
  end
end
local epoch = head.server .. ':' .. head.losses
redis.call('SETRANGE', image, ready_trailer_at, ready_trailer)
if lacks == '0' then redis.call('SETRANGE', image, EPOCH_AT, digest(epoch)) end
redis.call('SETRANGE', image, 0, ready_header)
redis.call('HDEL', KEYS[1], 'building', 'building-fingerprint', 'noted', 'since', 'rebuild',
  'lacks')
redis.call('HSET', KEYS[1], 'serving', head.building, 'serving-fingerprint',
  head['building-fingerprint'], 'serving-keys', keys_read, 'serving-begun', begun, 'last', generation,
  'swapped', text(math.floor(now / 1000)), 'epoch', epoch, 'origin', origin)
if lacks == '1' then
  redis.call('HDEL', KEYS[1], 'epoch')
  redis.call('HSET', KEYS[1], 'rebuild', 'source', 'since', text(now), 'lacks', '1')
end
if as_of ~= '0' then redis.call('HSET', KEYS[1], 'as-of', as_of) end
if owner ~= '' then redis.call('DEL', KEYS[6]) end
head.serving = head.building
return told({'ok'})
