-- The beginning of every script of a filter by subject. After small.lua.

-- Forgets so many subjects at most whose time is over; Redis drops their images by itself.
local function prune(index, most)
  local over = redis.call('ZRANGEBYSCORE', index, '-inf', '(' .. text(now), 'LIMIT', 0, most)
  if #over > 0 then redis.call('ZREM', index, unpack(over)) end
end

