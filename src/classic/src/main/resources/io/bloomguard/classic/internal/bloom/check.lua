-- Checks items in a filter. After look.lua. ARGV: the items.
-- Answers ok and a 0 or 1 for each, or missing.
if kind == 'none' then return {'missing'} end
return {'ok', table.concat(redis.call('BF.MEXISTS', KEYS[1], unpack(ARGV)))}
