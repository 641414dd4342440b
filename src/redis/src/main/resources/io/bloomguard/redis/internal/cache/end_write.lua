-- Lifts a writer's barrier; drops the value, and revokes loads from during the write.
-- A note of the write keeps out the stale reads of transactions that began before its end.
-- KEYS: value, lease, barrier, written. ARGV: token, lifetime of the note in ms. Answers ok.
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('SET', KEYS[4], '', 'PX', ARGV[2])
return {'ok'}
