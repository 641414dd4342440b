-- Adds keys to the newest generation, which begins with its first add. After window.lua.
-- ARGV, from the ninth: offsets per key; the number of keys; their offsets (u32, packed); the bits
-- past which the next generation begins early, empty for never; the milliseconds for which a
-- generation that no longer takes adds is kept all the same.
-- Answers ok, the epoch, and for each key 1 if no generation had it and else 0.

local target = live[1] and live[1].number == newest and live[1].key
local slot = newest % count
local first = target and 2 or 1
if not target then
  target = image(newest)
  redis.call('UNLINK', target)
  redis.call('SETRANGE', target, trailer, seal(newest))
  redis.call('SETRANGE', target, 0, seal(newest))
  -- At its natural end. An early end only comes before that.
  redis.call('PEXPIREAT', target, text((newest - tonumber(head.early) + count) * length - ahead))
  set('made' .. slot, newest)
  set('bits' .. slot, 0)
end

local per, keys, offsets = tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11]
local tells, fresh_keys, bits, at = trusted(), {}, 0, 1
for key = 1, keys do
  local sets, gets = {}, {}
  for i = 1, per do
    local offset
    offset, at = struct.unpack('>I4', offsets, at)
    offset = text(offset)
    sets[4 * i - 3], sets[4 * i - 2], sets[4 * i - 1], sets[4 * i] = 'SET', 'u1', offset, '1'
    gets[3 * i - 2], gets[3 * i - 1], gets[3 * i] = 'GET', 'u1', offset
  end
  local fresh = 0
  for _, old in ipairs(redis.call('BITFIELD', target, unpack(sets))) do fresh = fresh + 1 - old end
  bits = bits + fresh
  local known = fresh == 0
  for i = first, #live do
    if known then break end
    known = true
    for _, bit in ipairs(redis.call('BITFIELD', live[i].key, unpack(gets))) do
      if bit == 0 then known = false break end
    end
  end
  fresh_keys[key] = tells and not known and '1' or '0'
end

if bits > 0 then
  redis.call('BITFIELD', target, 'INCRBY', 'i64', '#2', bits)
  set('bits' .. slot, tonumber(head['bits' .. slot]) + bits)
end
if ARGV[12] ~= '' and tonumber(head['bits' .. slot]) > tonumber(ARGV[12]) then
  -- The oldest generation is dropped for it; not while it has, or may have had, keys of the
  -- retention.
  local oldest, since = newest - count + 1, now - tonumber(ARGV[13])
  local ended = made(oldest) and tonumber(head['end' .. oldest % count] or '0') or 0
  local doubted = oldest <= tonumber(head.doubt) and tonumber(head.doubted or '0') or 0
  if ended <= since and doubted <= since then
    set('early', tonumber(head.early) + 1)
  end
end
return {'ok', head.epoch, table.concat(fresh_keys)}
