-- Lifts a writer's barrier; what was loaded during the write is dropped and may not be stored.
-- KEYS: value, lease, barrier. ARGV: token. Answers ok.
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('SREM', KEYS[3], ARGV[1])
return {'ok'}
