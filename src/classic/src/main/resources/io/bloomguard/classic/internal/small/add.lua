
-- Adds keys, after the state of their images: per, offsets, live, certain and epoch as for
-- check.lua, target (the image that takes adds), first (the first of the live images besides),
-- counted(keys, bits), which notes what has changed, done(), and the claim of the add, if any.
-- Answers ok, the epoch, and for each key 1 if it was certainly in no image and else 0.
local fresh_keys, changed, bits, at = {}, 0, 0, 1
while at <= #offsets do
  local sets, gets = {}, {}
  for i = 1, per do
    local offset
    offset, at = struct.unpack('>I4', offsets, at)
    offset = text(offset)
    sets[4 * i - 3], sets[4 * i - 2], sets[4 * i - 1], sets[4 * i] = 'SET', 'u1', offset, '1'
    gets[3 * i - 2], gets[3 * i - 1], gets[3 * i] = 'GET', 'u1', offset
  end
  local fresh = 0
  for _, old in ipairs(redis.call('BITFIELD', target, unpack(sets))) do fresh = fresh + 1 - old end
  bits = bits + fresh
  if fresh > 0 then changed = changed + 1 end
  fresh_keys[#fresh_keys + 1] = certain and fresh > 0 and not held(gets, first) and '1' or '0'
end
if bits > 0 then counted(changed, bits) end
done()
if claim then claim.keep(fresh_keys) end
return {'ok', epoch, table.concat(fresh_keys)}
