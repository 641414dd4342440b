-- Lifts a writer's barrier; what was loaded during the write is dropped and may not be stored. What
-- transactions that began before may still read is kept out by a note of the write.
-- KEYS: value, lease, barrier, written. ARGV: token, lifetime of the note in ms. Answers ok.
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('SET', KEYS[4], '', 'PX', ARGV[2])
return {'ok'}
