-- The beginning of every script of a bit string. KEYS: the string.
-- Ends the script with foreign if the key has another type.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' and kind ~= 'string' then return {'foreign'} end

