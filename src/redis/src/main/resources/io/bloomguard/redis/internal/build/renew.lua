-- Renews the lock of a build. KEYS: lock. ARGV: owner, lifetime in ms.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'lost'} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'ok'}
