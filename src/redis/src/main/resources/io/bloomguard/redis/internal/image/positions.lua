-- The function that scripts of adds share: increments a key's positions of an image. A position is
-- a bit (width 1), which is set, or a counter (width 4), up to 15. Offset 0 is no position: the
-- header is there.
-- Returns the number of positions that were clear, and the end of the key's offsets (u32, packed).
local function count_up(image, width, per, offsets, at)
  local counts = width == '4'
  local verb, type = counts and 'INCRBY' or 'SET', 'u' .. width
  local steps, n = counts and {'OVERFLOW', 'SAT'} or {}, counts and 2 or 0
  for _ = 1, per do
    local offset
    offset, at = struct.unpack('>I4', offsets, at)
    if offset > 0 then
      steps[n + 1], steps[n + 2] = verb, type
      steps[n + 3], steps[n + 4] = string.format('%.0f', offset), '1'
      n = n + 4
    end
  end
  local fresh = 0
  for _, answer in ipairs(redis.call('BITFIELD', image, unpack(steps))) do
    -- A bit answers its former value, a counter its new one.
    if answer == (counts and 1 or 0) then fresh = fresh + 1 end
  end
  return fresh, at
end

