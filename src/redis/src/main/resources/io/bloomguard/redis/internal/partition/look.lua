-- Reads the register of copies, if it is whole. Writes nothing.
-- KEYS: head. Answers ok; server, losses, hash scheme and beat; the serving image; 1 if the scheme is
-- about to be replaced and else nothing; then name and entry of every copy. Or headless, lost.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'headless'} end
local names = {'server', 'losses', 'hashing', 'beat', 'serving', 'closing'}
local answer = {'ok'}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
  answer[#answer + 1] = value or ''
end
local fields = redis.call('HGETALL', KEYS[1])
local registered, count = 0, 0
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 5) == 'copy:' then
    count = count + 1
    answer[#answer + 1] = fields[i]
    answer[#answer + 1] = fields[i + 1]
  elseif fields[i] == 'copies' then
    registered = tonumber(fields[i + 1])
  end
end
if count ~= registered then return {'lost'} end
return answer
