-- Adds items to an existing filter. After look.lua. ARGV: the items.
-- Answers ok and a 1 for each that was new, else 0; or missing; or refused and the reason, with an
-- unknown part of the items added.
if kind == 'none' then return {'missing'} end
local replies = redis.pcall('BF.INSERT', KEYS[1], 'NOCREATE', 'ITEMS', unpack(ARGV))
if replies.err then return {'refused', replies.err} end
for _, reply in ipairs(replies) do
  if type(reply) == 'table' then return {'refused', reply.err} end
end
return {'ok', table.concat(replies)}
