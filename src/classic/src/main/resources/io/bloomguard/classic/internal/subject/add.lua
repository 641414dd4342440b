-- Adds keys to the image of a subject, which it creates. After head.lua.
-- ARGV, from the sixth: lifetime in ms; the most subjects; the loss epoch after which this adds
-- again, empty for new keys; bits of a key; the bits of all keys (u32, packed).
-- Answers ok and for each key 1 if it was new, else 0; full and the ms until a subject's time is
-- over; reread, headless or foreign; taken, if another program's data is at the key, which is left
-- alone.

-- The loss must be noted before any add is acknowledged under another server.
if not same or (ARGV[8] ~= '' and ARGV[8] ~= head[3]) then return {'reread'} end
local image_kind = kind_of(image)
if image_kind ~= 'string' and image_kind ~= 'none' then return {'taken'} end
local ttl, until_then = tonumber(ARGV[6]), ends()
if not is_whole() then
  local lacking = until_then or 0
  -- The string there is no whole image: nothing is known of its former keys.
  if not until_then and image_kind ~= 'none' then lacking = now + ttl end
  if not until_then and redis.call('ZCOUNT', index, text(now), '+inf') >= tonumber(ARGV[7]) then
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
local per, at, changed, bits, fresh_keys = tonumber(ARGV[9]), 1, 0, 0, {}
while at <= #ARGV[10] do
  local sets = {}
  for j = 1, per do
    local bit
    bit, at = struct.unpack('>I4', ARGV[10], at)
    sets[4 * j - 3], sets[4 * j - 2] = 'SET', 'u1'
    sets[4 * j - 1], sets[4 * j] = text(bit), '1'
  end
  local fresh = 0
  for _, old in ipairs(redis.call('BITFIELD', image, unpack(sets))) do fresh = fresh + 1 - old end
  bits = bits + fresh
  if fresh > 0 then changed = changed + 1 end
  fresh_keys[#fresh_keys + 1] = fresh > 0 and certain and '1' or '0'
end
if bits > 0 then
  redis.call('BITFIELD', image, 'INCRBY', 'i64', '#6', changed, 'INCRBY', 'i64', '#7', bits)
end

local lives = text(math.max(now + ttl, until_then or 0))
redis.call('PEXPIREAT', image, lives)
redis.call('ZADD', index, lives, member)
prune(index, 16)
local count = redis.call('ZCARD', index)
if count ~= entries then redis.call('HSET', KEYS[1], 'count', count) end
return {'ok', table.concat(fresh_keys)}
