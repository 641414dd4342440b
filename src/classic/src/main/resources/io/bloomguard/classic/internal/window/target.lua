
-- The generation that takes adds, which begins with its first add. After window.lua and claim.lua,
-- before add.lua.
-- ARGV, from the eleventh: the bits past which the next generation begins early, empty for never;
-- the milliseconds for which a generation that no longer takes adds is kept all the same; name,
-- digest, indexes, time in ms and most bytes of a claim, empty for none.
-- Answers claimed, crowded or unsettled if the claim does not let the add through.
local claim = open_claim(KEYS[count + 2], KEYS[count + 3], now, unpack(ARGV, 13, 17))
if claim and claim.refusal then return {claim.refusal, epoch} end
-- No key is known to be new then, and a claim would keep that for an answer.
if claim and claim.unknown > 0 and not certain then return {'unsettled', epoch} end
local slot = newest % count
local target, first = image(newest), 2
if numbers[1] ~= newest then
  first = 1
  redis.call('UNLINK', target)
  redis.call('SETRANGE', target, trailer, seal(newest))
  redis.call('SETRANGE', target, 0, seal(newest))
  -- At its natural end. An early end only comes before that.
  redis.call('PEXPIREAT', target, text((newest - tonumber(head.early) + count) * length - ahead))
  set('made' .. slot, newest)
  set('bits' .. slot, 0)
end

local function counted(_, bits)
  redis.call('BITFIELD', target, 'INCRBY', 'i64', '#2', bits)
  set('bits' .. slot, tonumber(head['bits' .. slot]) + bits)
end

local function done()
  if ARGV[11] == '' or tonumber(head['bits' .. slot]) <= tonumber(ARGV[11]) then return end
  -- The oldest generation is dropped for it; not while it has, or may have had, keys of the
  -- retention.
  local oldest, since = newest - count + 1, now - tonumber(ARGV[12])
  local ended = made(oldest) and tonumber(head['end' .. oldest % count] or '0') or 0
  local doubted = oldest <= tonumber(head.doubt) and tonumber(head.doubted or '0') or 0
  if ended <= since and doubted <= since then set('early', tonumber(head.early) + 1) end
end
