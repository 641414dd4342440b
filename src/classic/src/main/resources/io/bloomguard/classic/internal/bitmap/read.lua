-- Reads bits of a string and its presence: GETBIT alone answers 0 for a missing string. After
-- string.lua.
-- ARGV: offsets.
-- Answers: ok and a digit for each offset; or missing.
if kind == 'none' then return {'missing'} end
local AT_ONCE = 500
local digits = {}
for from = 1, #ARGV, AT_ONCE do
  local gets = {}
  for i = from, math.min(#ARGV, from + AT_ONCE - 1) do
    local n = #gets
    gets[n + 1], gets[n + 2], gets[n + 3] = 'GET', 'u1', ARGV[i]
  end
  for _, bit in ipairs(redis.call('BITFIELD_RO', KEYS[1], unpack(gets))) do
    digits[#digits + 1] = bit
  end
end
return {'ok', table.concat(digits)}
