-- Adds keys to every image that takes adds and to the journal, or does nothing. After
-- partition.lua, positions.lua and claim.lua.
-- KEYS, after those of every script: the claims and their ends.
-- ARGV, from the fifth: the caller's copy, empty for none; the time of journal entries in ms; the 64-bit hashes for the journal; the
-- number of keys; the loss epoch after which this adds again, empty for new keys; the most bytes of
-- the journal; 1 if there are more keys than hashes, because the journal has fresh entries of the
-- others; name, digest, indexes, time in ms and most bytes of a claim, empty for none; then for each image: role (serving if this one must take the add, kept if it need not),
-- its place in KEYS, seal, byte of its last word, offsets per key, offsets (u32, packed) and bits
-- of a position.
-- Answers ok, then for each key 1 if it was absent from the serving image until now and else 0, the
-- beat, and what to wait for; or headless, reread, damaged or full; claimed, crowded or unsettled.
local own_copy, entries_ms, hashes, key_count, good_for, most_bytes, leaves_out = unpack(ARGV, 5)

if good_for ~= '' and head.losses ~= good_for then return {'reread'} end
-- The caller knows of those entries only until the next loss.
if leaves_out ~= '' and (not head.losses or tonumber(head.losses) ~= tonumber(ARGV[4])) then
  return {'reread'}
end

-- First read everything, then write: an error half way must not leave a partial add unnoticed.
-- The beat of a damaged image advances too: otherwise every add would look like another loss.
local images, stepping = {}, {}
for arg = 17, #ARGV, 7 do
  local image = KEYS[tonumber(ARGV[arg + 1])]
  local step = in_step(image)
  if step then stepping[#stepping + 1] = image end
  if step and sealed(image, ARGV[arg + 2], tonumber(ARGV[arg + 3])) then
    images[#images + 1] = {key = image, arg = arg}
  elseif ARGV[arg] == 'serving' then
    -- The serving image must take the add. A damaged building or kept image is never served:
    -- publishing and rolling back check it again.
    return {'damaged'}
  end
end

local oldest = math.floor(now / 1000) - tonumber(entries_ms)
local journals = #hashes > 0
-- A recovery may use as much space again: refusing its adds would keep the doubt.
local most = tonumber(most_bytes) * (good_for == '' and 1 or 2)
-- An entry with as many keys as a script takes is smaller than that; measuring costs more.
local function has_room()
  return redis.call('TYPE', KEYS[2]).ok == 'none' or 2048 * redis.call('XLEN', KEYS[2]) <= most
    or journal_bytes() <= most
end
if journals and not has_room() then
  -- A running build replays the journal, so nothing is trimmed.
  if head.building then return {'full'} end
  from_now_on(oldest)
  redis.call('XTRIM', KEYS[2], 'MINID', text(oldest))
  if not has_room() then return {'full'} end
end

local claim = open_claim(KEYS[6], KEYS[7], math.floor(now / 1000), unpack(ARGV, 12, 16))
if claim and claim.refusal then return {claim.refusal} end
-- If no image serves, or the serving image is in doubt, no key is known to be new. A claim would
-- keep that for an answer.
local tells = head.serving and head.epoch
if claim and claim.unknown > 0 and not tells then return {'unsettled'} end

local count = tonumber(key_count)
local fresh_keys = {}
for i, image in ipairs(images) do
  local per, offsets = tonumber(ARGV[image.arg + 4]), ARGV[image.arg + 5]
  local changed, bits, at = 0, 0, 1
  for key = 1, count do
    local fresh
    fresh, at = count_up(image.key, ARGV[image.arg + 6], per, offsets, at)
    bits = bits + fresh
    if fresh > 0 then changed = changed + 1 end
    if i == 1 then fresh_keys[key] = tells and fresh > 0 and '1' or '0' end
  end
  redis.call('BITFIELD', image.key, 'INCRBY', 'i64', ADDED_KEYS, changed, 'INCRBY', 'i64', SET_BITS, bits)
end

if claim then claim.keep(fresh_keys) end

-- During a migration the head names two hash schemes, its own first.
local own = string.match(head.hashing, '^[^<>]*')
local before = head['journal-last'] or '0-0'
local id
if not journals then
  id = nil
elseif head.building then
  -- Not trimmed while a build runs: it replays the journal.
  id = redis.call('XADD', KEYS[2], '*', 'h', hashes, 's', own)
else
  -- As far as maintenance has noted, which is no second behind.
  id = redis.call('XADD', KEYS[2], 'MINID', '~', text(math.min(oldest, whole)), '*', 'h', hashes,
    's', own)
end
local news
if id then
  redis.call('HSET', KEYS[1], 'journal-last', id)
  head['journal-last'] = id
  -- A copy that has the entry before this one, under the same epoch and head, needs no page.
  if head.epoch then
    news = table.concat({own_copy, before, id, head.epoch, ARGV[1], hashes}, '\n')
  end
end
advance(stepping)
return told({'ok', table.concat(fresh_keys), beat}, 'copy:' .. own_copy, news)
