-- Reads the blocks of keys in the image of a subject. After head.lua.
-- ARGV, from the sixth: bytes of a block; the byte of each key's block (u32, packed).
-- Answers ok, 1 if keys may be missing, and the blocks one after the other; none if the subject has
-- no filter; lost, damaged, headless or foreign.
if kind_of(image) == 'none' then
  if doubtful or ends() then return {'lost'} end
  return {'none'}
end
if not is_whole() then return {'damaged'} end
local width, blocks = tonumber(ARGV[6]), {}
for at = 1, #ARGV[7], 4 do
  local from = struct.unpack('>I4', ARGV[7], at)
  blocks[#blocks + 1] = redis.call('GETRANGE', image, from, from + width - 1)
end
return {'ok', (doubtful or now < incomplete()) and 1 or 0, table.concat(blocks)}
