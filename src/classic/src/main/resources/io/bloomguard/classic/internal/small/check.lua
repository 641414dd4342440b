
-- Checks keys, after the state of their images: per (offsets of a key), offsets (u32, packed), live
-- (the keys of whole images), certain (whether a key in none of them is absent) and epoch.
-- Answers ok, the epoch, 1 if a key in no image is absent and else 0, and for each key 1 if an
-- image has it and else 0.
local found, at = {}, 1
while at <= #offsets do
  local gets = {}
  for i = 1, per do
    local offset
    offset, at = struct.unpack('>I4', offsets, at)
    gets[3 * i - 2], gets[3 * i - 1], gets[3 * i] = 'GET', 'u1', text(offset)
  end
  found[#found + 1] = held(gets, 1) and '1' or '0'
end
return {'ok', epoch, certain and 1 or 0, table.concat(found)}
