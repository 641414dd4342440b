-- Changes a head that is of the hash scheme which the caller has read in it.
-- KEYS: head; to drop it also journal and writers. ARGV: the scheme, with its mark; what to do:
--   end: the scheme of the next argument stands alone;
--   drop: another scheme is the filter's, and the process that makes a new head drops the images;
--   close: no copy takes a lease from here on, the next argument names this closing;
--   ready: the next scheme has every add from before the mark, whose time is the next argument.
-- Answers ok, and the name of the closing, which is an earlier one if there was one; or changed.
local hashing, what, value = unpack(ARGV)
local head = redis.pcall('HMGET', KEYS[1], 'hashing', 'marked')
if head.err or head[1] ~= hashing or what == 'ready' and head[2] ~= value then return {'changed'} end
if what == 'end' then redis.call('HSET', KEYS[1], 'hashing', value) end
if what == 'drop' then redis.call('UNLINK', unpack(KEYS)) end
if what == 'close' then redis.call('HSETNX', KEYS[1], 'closing', value) end
if what == 'ready' then redis.call('HSET', KEYS[1], 'ready', value) end
return {'ok', redis.call('HGET', KEYS[1], 'closing') or ''}
