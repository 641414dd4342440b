-- Adds keys to every image that takes adds and to the journal, or does nothing.
-- KEYS: head, journal, then the serving, building and previous image that the caller knows of.
-- ARGV: the caller's view of the head; retention in ms; the keys' 64-bit hashes; their number;
-- then for each image: role, seal, byte of its last word, offsets per key, offsets (u32, packed).
-- Answers ok and how many keys changed a bit of the first image, or headless, reread, damaged.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'headless'} end
local head = redis.call('HMGET', KEYS[1], 'format', 'serving', 'building', 'previous', 'hashing')
if not head[1] then return {'headless'} end
local view = (head[2] or '') .. ',' .. (head[3] or '') .. ',' .. (head[4] or '')
  .. ',' .. (head[5] or '')
if view ~= ARGV[1] then return {'reread'} end

local function sealed(image, seal, last)
  return redis.call('GETRANGE', image, 0, 7) == seal
    and redis.call('GETRANGE', image, last, last + 7) == seal
end

-- First look at all, then write: an error half way must not leave a partial add unnoticed.
local whole = {}
for i = 3, #KEYS do
  local arg = 5 + (i - 3) * 5
  whole[i] = redis.call('TYPE', KEYS[i]).ok == 'string'
    and sealed(KEYS[i], ARGV[arg + 1], tonumber(ARGV[arg + 2]))
  -- What serves must take the add. An image that is built or kept is not served once damaged:
  -- publishing and rolling back look at its seals again.
  if not whole[i] and ARGV[arg] == 'serving' then return {'damaged'} end
end

local count = tonumber(ARGV[4])
local result = 0
for i = 3, #KEYS do
  if whole[i] then
    local arg = 5 + (i - 3) * 5
    local per, offsets = tonumber(ARGV[arg + 3]), ARGV[arg + 4]
    local changed, bits, at = 0, 0, 1
    for _ = 1, count do
      local sets = {}
      for j = 1, per do
        local offset
        offset, at = struct.unpack('>I4', offsets, at)
        sets[4 * j - 3], sets[4 * j - 2] = 'SET', 'u1'
        sets[4 * j - 1], sets[4 * j] = string.format('%.0f', offset), '1'
      end
      local fresh = 0
      for _, old in ipairs(redis.call('BITFIELD', KEYS[i], unpack(sets))) do
        fresh = fresh + 1 - old
      end
      bits = bits + fresh
      if fresh > 0 then changed = changed + 1 end
    end
    redis.call('BITFIELD', KEYS[i], 'INCRBY', 'i64', '#6', changed, 'INCRBY', 'i64', '#7', bits)
    if i == 3 then result = changed end
  end
end

if head[3] then
  -- Not trimmed while a build runs: it replays the journal.
  redis.call('XADD', KEYS[2], '*', 'h', ARGV[3], 's', head[5])
else
  local time = redis.call('TIME')
  local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[2])
  redis.call('XADD', KEYS[2], 'MINID', '~', string.format('%.0f', oldest), '*', 'h', ARGV[3],
    's', head[5])
end
return {'ok', result}
