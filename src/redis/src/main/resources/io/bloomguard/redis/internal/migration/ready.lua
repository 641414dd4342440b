-- Notes that the next hash scheme has every add from before a partition was marked.
-- KEYS: head. ARGV: its scheme with the mark; the time of the mark. Answers ok, or changed.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'changed'} end
local fields = redis.call('HMGET', KEYS[1], 'hashing', 'marked')
if fields[1] ~= ARGV[1] or fields[2] ~= ARGV[2] then return {'changed'} end
redis.call('HSET', KEYS[1], 'ready', ARGV[2])
return {'ok'}
