-- Raises a writer's barrier; drops the value, and revokes loads from before its commit.
-- Each writer's token ends by itself, so that no later write prolongs that of a dead writer.
-- KEYS: value, lease, barrier (tokens by their ends), and one it leaves alone. ARGV: token,
-- lifetime in ms. Answers ok.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[3], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
redis.call('DEL', KEYS[1], KEYS[2])
return {'ok'}
