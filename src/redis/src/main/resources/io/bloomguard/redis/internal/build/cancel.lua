-- Requests the build that holds the lock to stop; the build polls once a second.
-- KEYS: lock, board. Answers ok, or none.
local run = redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('GET', KEYS[1])
if not run then return {'none'} end
if redis.call('TYPE', KEYS[2]).ok ~= 'hash' then redis.call('UNLINK', KEYS[2]) end
redis.call('HSET', KEYS[2], 'cancel', run)
return {'ok'}
