-- Takes a copy that holds no lease any more off the register. KEYS: head. ARGV: the copy's id; the
-- number of this poll: a later one may have registered it again. Answers ok.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'ok'} end
local name = 'copy:' .. ARGV[1]
local entry = redis.call('HGET', KEYS[1], name)
if entry and tonumber(string.match(entry, '[^|]*$')) < tonumber(ARGV[2]) then
  redis.call('HDEL', KEYS[1], name)
  redis.call('HINCRBY', KEYS[1], 'copies', -1)
end
return {'ok'}
