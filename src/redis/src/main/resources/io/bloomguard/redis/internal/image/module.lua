-- The filter of the RedisBloom module that an image may have beside it, in the same slot. The
-- module answers 0 for a key that is missing and for one of another type, and an empty filter that
-- another client made in its place would deny everything. So each filter holds marks of its image,
-- made from its name, and no fewer items than the image has counted.

local function module_filter(image) return image .. ':bloom' end

local function module_marks(image)
  local marks = {}
  for i = 1, 4 do marks[i] = image .. '#' .. i end
  return marks
end

local function is_module_filter(key)
  local kind = redis.call('TYPE', key).ok
  return kind == 'MBbloom--' or kind == 'bloomfltr'
end

local function module_holds(image)
  local key = module_filter(image)
  if not is_module_filter(key) then return false end
  local counted = redis.call('BITFIELD', image, 'GET', 'i64', ADDED_KEYS)[1]
  if redis.call('BF.CARD', key) < counted then return false end
  for _, found in ipairs(redis.call('BF.MEXISTS', key, unpack(module_marks(image)))) do
    if found ~= 1 then return false end
  end
  return true
end

-- Creates the filter again: returns its number of items, or nil and the reason why it cannot be
-- made.
local function module_make(image, rate, capacity)
  local key = module_filter(image)
  redis.call('UNLINK', key)
  local marks = module_marks(image)
  local made = redis.pcall('BF.RESERVE', key, rate, string.format('%.0f', capacity + #marks),
    'NONSCALING')
  if made.err then return nil, made.err end
  local items = 0
  for _, fresh in ipairs(redis.call('BF.INSERT', key, 'NOCREATE', 'ITEMS', unpack(marks))) do
    items = items + fresh
  end
  return items
end

-- Adds packed hashes to the filter beside an image, and to the image's count. Returns for each a 1
-- if it was new, else 0; or nil and the reason why not all were added.
local function module_add(image, hashes)
  local items = {}
  for i = 1, #hashes / 8 do items[i] = string.sub(hashes, 8 * i - 7, 8 * i) end
  local replies = redis.pcall('BF.INSERT', module_filter(image), 'NOCREATE', 'ITEMS', unpack(items))
  if replies.err then return nil, replies.err end
  local items, refusal = 0, nil
  for _, reply in ipairs(replies) do
    if type(reply) == 'table' then refusal = reply.err else items = items + reply end
  end
  redis.call('BITFIELD', image, 'INCRBY', 'i64', ADDED_KEYS, items)
  if refusal then return nil, refusal end
  return replies
end

