
-- The image that takes adds, which the first one creates. After head.lua, before add.lua.
-- ARGV, from the eighth: lifetime in ms; the most subjects; the loss epoch after which this adds
-- again, empty for new keys.
-- Answers full and the ms until a subject's time is over; reread; or taken, if another program's
-- data is at the key, which is left alone.

-- The loss must be noted before any add is acknowledged under another server.
if not same or (ARGV[10] ~= '' and ARGV[10] ~= head[3]) then return {'reread'} end
local image_kind = kind_of(image)
if image_kind ~= 'string' and image_kind ~= 'none' then return {'taken'} end
local ttl, until_then = tonumber(ARGV[8]), ends()
if not is_whole() then
  local lacking = until_then or 0
  -- The string there is no whole image: nothing is known of its former keys.
  if not until_then and image_kind ~= 'none' then lacking = now + ttl end
  if not until_then and redis.call('ZCOUNT', index, text(now), '+inf') >= tonumber(ARGV[9]) then
    local first = redis.call('ZRANGEBYSCORE', index, text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    return {'full', math.max(0, (tonumber(first[2]) or now) - now)}
  end
  redis.call('UNLINK', image)
  -- The end first: that allocates the string at its full length.
  local created = struct.pack('>I8', now)
  redis.call('SETRANGE', image, size - 16, created .. string.sub(ARGV[3], 1, 8))
  redis.call('SETRANGE', image, 0, ARGV[3] .. created .. struct.pack('>I8', lacking))
end

local certain = not doubtful and now >= incomplete()
local target, first, claim = image, 2, nil

local function counted(keys, bits)
  redis.call('BITFIELD', image, 'INCRBY', 'i64', '#6', keys, 'INCRBY', 'i64', '#7', bits)
end

local function done()
  local lives = text(math.max(now + ttl, until_then or 0))
  redis.call('PEXPIREAT', image, lives)
  redis.call('ZADD', index, lives, member)
  prune(index, 16)
  local count = redis.call('ZCARD', index)
  if count ~= entries then redis.call('HSET', KEYS[1], 'count', count) end
end
