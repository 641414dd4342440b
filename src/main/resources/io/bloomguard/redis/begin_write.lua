-- Raises a writer's barrier; what was loaded before its commit is dropped and may not be stored.
-- KEYS: value, lease, barrier, and one it leaves alone. ARGV: token, lifetime in ms (for writers that die). Answers ok.
redis.call('SADD', KEYS[3], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
redis.call('DEL', KEYS[1], KEYS[2])
return {'ok'}
