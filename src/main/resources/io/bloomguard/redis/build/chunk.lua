-- Writes a part of an image that is still being built. The seal is the fence: a stopped builder's
-- late chunk finds the image published or gone, and must neither change nor recreate it.
-- KEYS: image. ARGV: BUILDING seal, byte offset, bytes. Answers ok or fenced.
if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return {'fenced'} end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[3])
return {'ok'}
