-- Removes a closing writer from the list, so that no other waits for it.
-- KEYS: writers. ARGV: the writer. Answers ok.
if redis.call('TYPE', KEYS[1]).ok == 'hash' then redis.call('HDEL', KEYS[1], ARGV[1]) end
return {'ok'}
