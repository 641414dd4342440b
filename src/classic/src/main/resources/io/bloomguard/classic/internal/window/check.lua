-- Checks keys in all generations. After window.lua.
-- ARGV, from the ninth: offsets per key; the number of keys; their offsets (u32, packed).
-- Answers ok, the epoch, 1 if a key in no generation is absent and else 0, and for each key 1 if a
-- generation has it and else 0.

local per, keys, offsets = tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11]
local found, at = {}, 1
for key = 1, keys do
  local gets = {}
  for i = 1, per do
    local offset
    offset, at = struct.unpack('>I4', offsets, at)
    gets[3 * i - 2], gets[3 * i - 1], gets[3 * i] = 'GET', 'u1', text(offset)
  end
  local known = false
  for i = 1, #live do
    known = true
    for _, bit in ipairs(redis.call('BITFIELD', live[i].key, unpack(gets))) do
      if bit == 0 then known = false break end
    end
    if known then break end
  end
  found[key] = known and '1' or '0'
end
return {'ok', head.epoch, trusted() and 1 or 0, table.concat(found)}
