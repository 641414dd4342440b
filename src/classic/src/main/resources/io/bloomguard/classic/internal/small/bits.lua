
-- Whether one of the live images, from the first on, has all bits of a key.
local function held(gets, first)
  for i = first, #live do
    local known = true
    for _, bit in ipairs(redis.call('BITFIELD', live[i], unpack(gets))) do
      if bit == 0 then known = false break end
    end
    if known then return true end
  end
  return false
end
