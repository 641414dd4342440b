-- Compares the head with the one that the caller knows. Another lineage, or a lower number of swaps, is
-- a loss that only a new generation ends, unless the head was met so before. After partition.lua.
-- ARGV, from the fifth: the lineage that the caller knows, empty for none, and its swaps; a lineage for
-- a head without one.
-- Answers ok, and the lineage and the least number of swaps that the caller believes from here on; or
-- headless, reread.
local known, swaps, drawn = unpack(ARGV, 5)
swaps = tonumber(swaps)
if not head.lineage then
  head.lineage = drawn
  redis.call('HSET', KEYS[1], 'lineage', drawn)
end
local count = tonumber(head.last or '0') + tonumber(head.swaps or '0')
local same = head.lineage == known
if known == '' or same and count >= swaps then return {'ok', head.lineage, count} end

-- A head without images, and one that awaits a new generation, deny no key.
local waits = not head.epoch and (not head.serving or head.rebuild == 'source')
if same and waits then return {'ok', known, swaps} end

-- For each lineage by which this head was met: its swaps then, and the swaps of this head from which
-- on a process of that lineage believes it.
local met = {}
for of, known_swaps, believed in string.gmatch(head.met or '', '(%S+)/(%d+)@(%d+)') do
  if of ~= known then
    met[#met + 1] = of .. '/' .. known_swaps .. '@' .. believed
  elseif tonumber(known_swaps) >= swaps then
    return {'ok', head.lineage, tonumber(believed)}
  end
end
if same then
  -- No process of this lineage knows more swaps than the head from here on.
  redis.call('HINCRBY', KEYS[1], 'swaps', swaps - count)
  count = swaps
end
-- A running build may read another source.
if not waits or head.building then doubt(0) end
if head.serving then redis.call('HSET', KEYS[1], 'rebuild', 'source') end
met[#met + 1] = known .. '/' .. text(swaps) .. '@' .. text(count + 1)
while #met > 8 do table.remove(met, 1) end
redis.call('HSET', KEYS[1], 'met', table.concat(met, ' '))
return {'ok', head.lineage, count + 1}
