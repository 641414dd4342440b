-- Strikes copies that let a writer's wait pass, each unless it has polled since.
-- KEYS: head. ARGV: the losses under which they were registered; then name and entry of each, as the
-- writer's script had it. Answers ok and how many were struck.
local struck = 0
if redis.call('TYPE', KEYS[1]).ok == 'hash' and redis.call('HGET', KEYS[1], 'losses') == ARGV[1] then
  for i = 2, #ARGV, 2 do
    if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
      struck = struck + redis.call('HDEL', KEYS[1], ARGV[i])
      redis.call('HINCRBY', KEYS[1], 'copies', -1)
    end
  end
end
return {'ok', struck}
