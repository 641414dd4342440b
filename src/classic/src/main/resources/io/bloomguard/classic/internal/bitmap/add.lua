-- Sets bits of a string as SETBIT does, if it exists or may be created.
-- KEYS: the string. ARGV: 1 if it may be created; the number of bits of a key; the offsets of each.
-- Answers: ok and a digit for each key, 1 if one of its bits was clear; missing; or foreign if the
-- key has another type.

local kind = redis.call('TYPE', KEYS[1])['ok']
if kind == 'none' then
  if ARGV[1] ~= '1' then
    return {'missing'}
  end
elseif kind ~= 'string' then
  return {'foreign'}
end
local bits = tonumber(ARGV[2])
local digits = {}
for from = 3, #ARGV, bits do
  local sets = {}
  for i = from, from + bits - 1 do
    sets[#sets + 1] = 'SET'
    sets[#sets + 1] = 'u1'
    sets[#sets + 1] = ARGV[i]
    sets[#sets + 1] = 1
  end
  local new = 0
  for _, before in ipairs(redis.call('BITFIELD', KEYS[1], unpack(sets))) do
    if before == 0 then
      new = 1
    end
  end
  digits[#digits + 1] = new
end
return {'ok', table.concat(digits)}
