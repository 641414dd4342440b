-- Reads a short string, or evenly spread pieces of a long one: a BITCOUNT of 512 MB would block. After
-- string.lua.
-- ARGV: the bytes up to which it is read whole; the number of pieces; the bytes of a piece; the
-- place of each piece in its part of the string, 0 to 1.
-- Answers: ok, the bytes of the string and the pieces; or missing.
if kind == 'none' then return {'missing'} end
local length = redis.call('STRLEN', KEYS[1])
if length <= tonumber(ARGV[1]) then return {'ok', length, redis.call('GET', KEYS[1])} end
local pieces, size = tonumber(ARGV[2]), tonumber(ARGV[3])
local part = length / pieces
local answer = {'ok', length}
for i = 0, pieces - 1 do
  local from = math.floor(i * part + ARGV[4] * (part - size))
  answer[#answer + 1] = redis.call('GETRANGE', KEYS[1], from, from + size - 1)
end
return answer
