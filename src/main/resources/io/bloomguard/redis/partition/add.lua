-- Adds keys to every image that takes adds and to the journal, or does nothing. After partition.lua
-- and positions.lua.
-- ARGV, from the fifth: the time of journal entries in ms; the 64-bit hashes for the journal; the
-- number of keys; the losses of which this is to make good, empty for new keys; bytes of the journal
-- at most; 1 if there are more keys than hashes, because the journal has fresh entries of the
-- others; then for each image there is: role (serving where this one must take the add, kept where it need not), its place in KEYS, seal, byte of its last word, offsets per key, offsets (u32,
-- packed) and bits of a position; for an image beside a filter of the module 0 and the hashes.
-- Answers ok, then for each key 1 if it was absent from what serves until now and else 0, and the
-- beat; or headless, reread, damaged, full; or refused and why.
local entries_ms, hashes, key_count, good_for, most_bytes, leaves_out = unpack(ARGV, 5)

if good_for ~= '' and head.losses ~= good_for then return {'reread'} end
-- The caller knows of those entries only until the next loss.
if leaves_out ~= '' and (not head.losses or tonumber(head.losses) ~= tonumber(ARGV[4])) then
  return {'reread'}
end

-- First look at all, then write: an error half way must not leave a partial add unnoticed.
-- The beat of a damaged one goes on: standing still it would look like another loss with every add.
local images, stepping = {}, {}
for arg = 11, #ARGV, 7 do
  local image = KEYS[tonumber(ARGV[arg + 1])]
  local step = in_step(image)
  if step then stepping[#stepping + 1] = image end
  if step and sealed(image, ARGV[arg + 2], tonumber(ARGV[arg + 3])) then
    images[#images + 1] = {key = image, arg = arg}
  elseif ARGV[arg] == 'serving' then
    -- What serves must take the add. An image that is built or kept is not served once damaged:
    -- publishing and rolling back look at it again.
    return {'damaged'}
  end
end

local oldest = math.floor(now / 1000) - tonumber(entries_ms)
local journals = #hashes > 0
-- What is added again after a loss may take as much again: refused, it would keep the doubt.
local most = tonumber(most_bytes) * (good_for == '' and 1 or 2)
-- An entry of as many keys as a script takes is smaller than that; to measure costs more.
local function has_room()
  return redis.call('TYPE', KEYS[2]).ok == 'none' or 2048 * redis.call('XLEN', KEYS[2]) <= most
    or journal_bytes() <= most
end
if journals and not has_room() then
  -- While a build runs nothing is trimmed: it replays the journal.
  if head.building then return {'full'} end
  redis.call('XTRIM', KEYS[2], 'MINID', text(oldest))
  if not has_room() then return {'full'} end
end

local count = tonumber(key_count)
-- Where nothing serves, or what serves is in doubt, nothing is known to be new.
local fresh_keys = {}
local tells = head.serving and head.epoch
local function set_bits(i, image)
  local per, offsets = tonumber(ARGV[image.arg + 4]), ARGV[image.arg + 5]
  local changed, bits, at = 0, 0, 1
  for key = 1, count do
    local fresh
    fresh, at = count_up(image.key, ARGV[image.arg + 6], per, offsets, at)
    bits = bits + fresh
    if fresh > 0 then changed = changed + 1 end
    if i == 1 then fresh_keys[key] = tells and fresh > 0 and '1' or '0' end
  end
  redis.call('BITFIELD', image.key, 'INCRBY', 'i64', '#6', changed, 'INCRBY', 'i64', '#7', bits)
end
for i, image in ipairs(images) do
  if ARGV[image.arg + 4] ~= '0' then
    set_bits(i, image)
  else
    local fresh, refusal = module_add(image.key, ARGV[image.arg + 5])
    -- It comes first, so that nothing else has the keys.
    if refusal and ARGV[image.arg] == 'serving' then return {'refused', refusal} end
    -- What lacks an add must never answer; without its filter it does not.
    if refusal then redis.call('UNLINK', module_filter(image.key)) end
    if i == 1 then
      for key = 1, count do fresh_keys[key] = tells and fresh and fresh[key] == 1 and '1' or '0' end
    end
  end
end

-- During a change the head names two hashings, its own first.
local own = string.match(head.hashing, '^[^<>]*')
local id
if not journals then
  id = nil
elseif head.building then
  -- Not trimmed while a build runs: it replays the journal.
  id = redis.call('XADD', KEYS[2], '*', 'h', hashes, 's', own)
else
  id = redis.call('XADD', KEYS[2], 'MINID', '~', text(oldest), '*', 'h', hashes, 's',
    own)
end
if id then redis.call('HSET', KEYS[1], 'journal-last', id) end
advance(stepping)
return {'ok', table.concat(fresh_keys), beat}
