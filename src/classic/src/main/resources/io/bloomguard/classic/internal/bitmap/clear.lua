-- Replaces a string by one without a bit set, with the same time to live. After string.lua.
-- ARGV: 1 if a missing one is created.
-- Answers: ok.
if kind == 'none' and ARGV[1] ~= '1' then return {'ok'} end
local left = redis.call('PTTL', KEYS[1])
redis.call('UNLINK', KEYS[1])
redis.call('SETBIT', KEYS[1], 0, 0)
if left > 0 then redis.call('PEXPIRE', KEYS[1], left) end
return {'ok'}
