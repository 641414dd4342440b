-- Writes a part of an image that is still being built. The seal is the fence: a stopped builder's
-- late chunk finds the image published or gone, and must neither change nor recreate it. After format.lua.
-- KEYS: image. ARGV: BUILDING seal, byte offset, bytes. Answers ok or fenced.
if word(KEYS[1], SEAL_AT) ~= ARGV[1] then return {'fenced'} end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[3])
return {'ok'}
