-- Reads bits of a string and its presence: GETBIT alone answers 0 for a missing string.
-- KEYS: the string. ARGV: offsets.
-- Answers: ok and a digit for each offset; missing; or foreign if the key has another type.

local kind = redis.call('TYPE', KEYS[1])['ok']
if kind == 'none' then
  return {'missing'}
elseif kind ~= 'string' then
  return {'foreign'}
end
local AT_ONCE = 500
local digits = {}
for from = 1, #ARGV, AT_ONCE do
  local gets = {}
  for i = from, math.min(#ARGV, from + AT_ONCE - 1) do
    gets[#gets + 1] = 'GET'
    gets[#gets + 1] = 'u1'
    gets[#gets + 1] = ARGV[i]
  end
  for _, bit in ipairs(redis.call('BITFIELD_RO', KEYS[1], unpack(gets))) do
    digits[#digits + 1] = bit
  end
end
return {'ok', table.concat(digits)}
