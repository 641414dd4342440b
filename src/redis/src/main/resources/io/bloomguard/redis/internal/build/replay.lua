-- Adds journalled keys to an image that is being built, where a bulk chunk may have overwritten
-- them. After positions.lua.
-- KEYS: image. ARGV: BUILDING seal, number of keys, offsets per key, offsets, bits of a position,
-- as for add.lua.
-- Answers ok or fenced.
if word(KEYS[1], SEAL_AT) ~= ARGV[1] then return {'fenced'} end
local changed, bits, at = 0, 0, 1
for _ = 1, tonumber(ARGV[2]) do
  local fresh
  fresh, at = count_up(KEYS[1], ARGV[5], tonumber(ARGV[3]), ARGV[4], at)
  bits = bits + fresh
  if fresh > 0 then changed = changed + 1 end
end
redis.call('BITFIELD', KEYS[1], 'INCRBY', 'i64', ADDED_KEYS, changed, 'INCRBY', 'i64', SET_BITS, bits)
return {'ok'}
