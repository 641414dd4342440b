-- Reads the present state of a window. After window.lua.
-- Answers ok, the epoch, 1 if a key in no generation is absent and else 0, the newest generation,
-- the number of generations begun early, and the set bits of each that is whole.

local answer = {'ok', epoch, certain and 1 or 0, newest, tonumber(head.early)}
for _, number in ipairs(numbers) do
  answer[#answer + 1] = tonumber(head['bits' .. number % count])
end
return answer
