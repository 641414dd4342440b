-- Takes the right to build and returns a fencing token: greater than any earlier one by Redis'
-- clock, and so even after the loss of all keys.
-- KEYS: head, lock. ARGV: owner, lifetime in ms. Answers ok and the token, or headless, running.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'headless'} end
if not redis.call('HGET', KEYS[1], 'format') then return {'headless'} end
-- A lock that never ends has no holder: it was put back or tampered with.
if redis.call('PTTL', KEYS[2]) == -1 then redis.call('DEL', KEYS[2]) end
if not redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return {'running'} end
local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('HGET', KEYS[1], 'token') or '0')
if token <= last then token = last + 1 end
token = string.format('%.0f', token)
redis.call('HSET', KEYS[1], 'token', token)
return {'ok', token}
