-- Decrements the counters of keys in the serving image, each key in one decision, or does nothing.
-- Changes no other image, and writes no journal entry. After partition.lua.
-- ARGV, from the fifth: the serving image's READY seal and byte of its last word; the number of
-- keys; offsets per key; offsets (u32, packed; 0 for none).
-- Answers ok and the number of keys whose counter was decremented; or headless, reread, damaged,
-- unsettled.
local seal, last, key_count, offsets_per_key, offsets = unpack(ARGV, 5)

-- While adds may be missing that will be added again, a key that is not counted may look counted.
if not head.epoch then return {'unsettled'} end
local image = KEYS[3]
if not sealed(image, seal, tonumber(last)) or not in_step(image) then return {'damaged'} end

local per, at = tonumber(offsets_per_key), 1
local removed, emptied, cleared = 0, 0, 0
for _ = 1, tonumber(key_count) do
  local places, reads = {}, {}
  for _ = 1, per do
    local offset
    offset, at = struct.unpack('>I4', offsets, at)
    if offset > 0 then
      local place, n = string.format('%.0f', offset), #reads
      places[#places + 1] = place
      reads[n + 1], reads[n + 2], reads[n + 3] = 'GET', 'u4', place
    end
  end
  local absent, steps = false, {}
  for i, count in ipairs(redis.call('BITFIELD', image, unpack(reads))) do
    if count == 0 then absent = true end
    -- A full counter does not tell the number of its keys.
    if count < 15 then
      local n = #steps
      steps[n + 1], steps[n + 2], steps[n + 3], steps[n + 4] = 'INCRBY', 'u4', places[i], '-1'
    end
  end
  if not absent and #steps > 0 then
    local clear = 0
    for _, left in ipairs(redis.call('BITFIELD', image, unpack(steps))) do
      if left == 0 then clear = clear + 1 end
    end
    removed, cleared = removed + 1, cleared + clear
    if clear > 0 then emptied = emptied + 1 end
  end
end
-- Subtracted from 0, because Lua writes the negation of 0 as -0.
redis.call('BITFIELD', image, 'INCRBY', 'i64', ADDED_KEYS, 0 - emptied, 'INCRBY', 'i64',
  SET_BITS, 0 - cleared)
return {'ok', removed}
