-- Ends a migration at a head that is of the hash scheme which the caller has read in it.
-- KEYS: head; to drop it also journal and writers. ARGV: the scheme, with its mark; the scheme that
-- stands alone from here on, empty if another is the filter's: then the process that makes a new
-- head drops the images. Answers ok or changed.
local head = redis.pcall('HGET', KEYS[1], 'hashing')
if head ~= ARGV[1] then return {'changed'} end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'hashing', ARGV[2]) else redis.call('UNLINK', unpack(KEYS)) end
return {'ok'}
