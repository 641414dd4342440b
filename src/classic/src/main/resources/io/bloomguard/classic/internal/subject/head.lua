-- The state of a subject's image for checks and adds. After subjects.lua.
-- KEYS: head, index, image. ARGV: fingerprint; the server that the caller speaks to; the image's
-- first 32 bytes; its size; the subject's name in the index; offsets per key; the offsets of all
-- keys (u32, packed).
-- Ends the script with headless or foreign if the filter differs from the caller's view.
local head = kind_of(KEYS[1]) == 'hash'
  and redis.call('HMGET', KEYS[1], 'fingerprint', 'server', 'losses', 'settled', 'doubt', 'count')
if not head or not head[1] then return {'headless'} end
if head[1] ~= ARGV[1] then return {'foreign'} end

local index, image, member, size = KEYS[2], KEYS[3], ARGV[5], tonumber(ARGV[4])
local per, offsets, live = tonumber(ARGV[6]), ARGV[7], {image}
local epoch = head[3] or ''
local entries = kind_of(index) == 'zset' and redis.call('ZCARD', index) or 0
-- An index that was dropped or put back does not hold the noted number of entries.
local same = head[2] == ARGV[2] and entries == tonumber(head[6] or '0')
-- Acknowledged adds may be missing: only present keys are certain.
local doubtful = not same or head[4] ~= head[3] or now < tonumber(head[5] or '0')

-- The time until which the subject's image should exist; nil if its time is over, or it never had
-- one.
local function ends()
  local score = entries > 0 and redis.call('ZSCORE', index, member)
  return score and tonumber(score) >= now and tonumber(score) or nil
end

-- Whether the image exists, is ours and is whole: both its ends hold the time of its creation.
local function is_whole()
  if kind_of(image) ~= 'string' or redis.call('STRLEN', image) ~= size then return false end
  local front = redis.call('GETRANGE', image, 0, 39)
  return string.sub(front, 1, 32) == ARGV[3]
    and redis.call('GETRANGE', image, size - 16, size - 1)
      == string.sub(front, 33, 40) .. string.sub(front, 1, 8)
end

-- The time until which the image may lack adds from before its creation.
local function incomplete()
  return redis.call('BITFIELD', image, 'GET', 'i64', '#5')[1]
end

