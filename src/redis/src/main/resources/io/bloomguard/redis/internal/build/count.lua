-- Sets the counters of an image that is being built. After format.lua.
-- KEYS: image. ARGV: BUILDING seal, keys, bits.
if word(KEYS[1], SEAL_AT) ~= ARGV[1] then return {'fenced'} end
redis.call('BITFIELD', KEYS[1], 'SET', 'i64', ADDED_KEYS, ARGV[2], 'SET', 'i64', SET_BITS, ARGV[3])
return {'ok'}
