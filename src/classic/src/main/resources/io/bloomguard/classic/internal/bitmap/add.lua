-- Sets bits of a string as SETBIT does, if it exists or may be created. After string.lua.
-- ARGV: 1 if it may be created; the number of bits of a key; the offsets of each.
-- Answers: ok and a digit for each key, 1 if one of its bits was clear; or missing.
if kind == 'none' and ARGV[1] ~= '1' then return {'missing'} end
local bits = tonumber(ARGV[2])
local digits = {}
for from = 3, #ARGV, bits do
  local sets = {}
  for i = from, from + bits - 1 do
    local n = #sets
    sets[n + 1], sets[n + 2], sets[n + 3], sets[n + 4] = 'SET', 'u1', ARGV[i], 1
  end
  local new = 0
  for _, before in ipairs(redis.call('BITFIELD', KEYS[1], unpack(sets))) do
    if before == 0 then new = 1 end
  end
  digits[#digits + 1] = new
end
return {'ok', table.concat(digits)}
