-- Serves the previous image again, in one step. Every add since has kept it in step. After
-- partition.lua.
-- ARGV, from the fifth:
-- for the serving one: READY seal, last word's byte, RETIRED header, RETIRED trailer, trailer's
-- byte;
-- for the previous one: RETIRED seal, last word's byte, READY header, READY trailer, trailer's
-- byte.
-- Answers ok and what to wait for, or headless, reread, damaged.
local serving_seal, serving_last, retired_header, retired_trailer, retired_trailer_at,
  previous_seal, previous_last, ready_header, ready_trailer, ready_trailer_at = unpack(ARGV, 5)
local serving, previous = KEYS[3], KEYS[5]
if not sealed(previous, previous_seal, tonumber(previous_last)) or not in_step(previous) then
  return {'damaged'}
end
redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint', 'previous-keys')
if sealed(serving, serving_seal, tonumber(serving_last)) then
  redis.call('SETRANGE', serving, 0, retired_header)
  redis.call('SETRANGE', serving, retired_trailer_at, retired_trailer)
  redis.call('HSET', KEYS[1], 'previous', head.serving, 'previous-fingerprint',
    head['serving-fingerprint'], 'previous-keys', head['serving-keys'] or '0')
else
  redis.call('UNLINK', serving)
end
redis.call('SETRANGE', previous, ready_trailer_at, ready_trailer)
redis.call('SETRANGE', previous, 0, ready_header)
-- In doubt, the previous image answers no check either, until the doubt ends.
if head.epoch then
  redis.call('SETRANGE', previous, EPOCH_AT, digest(head.epoch))
else
  redis.call('BITFIELD', previous, 'SET', 'i64', EPOCH, 0)
end
redis.call('HINCRBY', KEYS[1], 'swaps', 1)
redis.call('HSET', KEYS[1], 'serving', head.previous, 'serving-fingerprint',
  head['previous-fingerprint'], 'serving-keys', head['previous-keys'] or '0', 'swapped', text(math.floor(now / 1000)))
head.serving = head.previous
return told({'ok'})
