-- Creates an empty filter if there is none. After look.lua. ARGV: error rate, capacity, and the
-- arguments for its growth, as BF.RESERVE takes them.
-- Answers ok; or exists; or refused and the reason.
local made = redis.pcall('BF.RESERVE', KEYS[1], unpack(ARGV))
if made.ok then return {'ok'} end
if string.find(made.err, 'item exists') then return {'exists'} end
return {'refused', made.err}
