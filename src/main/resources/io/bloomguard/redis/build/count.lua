-- Sets the counters of an image that is being built. KEYS: image. ARGV: BUILDING seal, keys, bits.
if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return {'fenced'} end
redis.call('BITFIELD', KEYS[1], 'SET', 'i64', '#6', ARGV[2], 'SET', 'i64', '#7', ARGV[3])
return {'ok'}
