-- The beginning of every script of a filter by subject, with shared functions.
-- Milliseconds fit a Lua number exactly.
local now
do
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
local function kind_of(key) return redis.call('TYPE', key).ok end

-- Forgets so many subjects at most whose time is over; Redis drops their images by itself.
local function prune(index, most)
  local over = redis.call('ZRANGEBYSCORE', index, '-inf', '(' .. text(now), 'LIMIT', 0, most)
  if #over > 0 then redis.call('ZREM', index, unpack(over)) end
end

