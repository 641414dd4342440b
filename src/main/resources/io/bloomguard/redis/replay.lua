-- Sets the bits of journalled keys in an image that is being built, where a bulk chunk may have
-- overwritten them; or adds keys to the filter of the module beside it. After module.lua.
-- KEYS: image. ARGV: BUILDING seal, number of keys, offsets per key, offsets, as for add.lua.
-- Answers ok, fenced, or refused and why.
if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return {'fenced'} end
if ARGV[3] == '0' then
  local _, refusal = module_add(KEYS[1], ARGV[4])
  return refusal and {'refused', refusal} or {'ok'}
end
local changed, bits, at = 0, 0, 1
for _ = 1, tonumber(ARGV[2]) do
  local sets = {}
  for j = 1, tonumber(ARGV[3]) do
    local offset
    offset, at = struct.unpack('>I4', ARGV[4], at)
    sets[4 * j - 3], sets[4 * j - 2] = 'SET', 'u1'
    sets[4 * j - 1], sets[4 * j] = string.format('%.0f', offset), '1'
  end
  local fresh = 0
  for _, old in ipairs(redis.call('BITFIELD', KEYS[1], unpack(sets))) do
    fresh = fresh + 1 - old
  end
  bits = bits + fresh
  if fresh > 0 then changed = changed + 1 end
end
redis.call('BITFIELD', KEYS[1], 'INCRBY', 'i64', '#6', changed, 'INCRBY', 'i64', '#7', bits)
return {'ok'}
