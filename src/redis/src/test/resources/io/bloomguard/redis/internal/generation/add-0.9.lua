-- The stored form of a partition, as ImageFormat has it: its version; words of an image's header as
-- BITFIELD names them, and bytes of it. The beginning of every script that names one of them.
local FORMAT = '2'
local ADDED_KEYS, SET_BITS, EPOCH, BEAT = '#6', '#7', '#8', '#9'
local SEAL_AT, EPOCH_AT, BEAT_AT, FRAME_BYTES = 0, 64, 72, 80

-- The word of an image that begins at a byte.
local function word(image, at) return redis.call('GETRANGE', image, at, at + 7) end

-- The filter of the RedisBloom module that an image may have beside it, in the same slot. The
-- module answers 0 for a key that is missing and for one of another type, and an empty filter that
-- another client made in its place would deny everything. So each filter holds marks of its image,
-- made from its name, and no fewer items than the image has counted.

local function module_filter(image) return image .. ':bloom' end

local function module_marks(image)
  local marks = {}
  for i = 1, 4 do marks[i] = image .. '#' .. i end
  return marks
end

local function is_module_filter(key)
  local kind = redis.call('TYPE', key).ok
  return kind == 'MBbloom--' or kind == 'bloomfltr'
end

local function module_holds(image)
  local key = module_filter(image)
  if not is_module_filter(key) then return false end
  local counted = redis.call('BITFIELD', image, 'GET', 'i64', ADDED_KEYS)[1]
  if redis.call('BF.CARD', key) < counted then return false end
  for _, found in ipairs(redis.call('BF.MEXISTS', key, unpack(module_marks(image)))) do
    if found ~= 1 then return false end
  end
  return true
end

-- Creates the filter again: returns its number of items, or nil and the reason why it cannot be
-- made.
local function module_make(image, rate, capacity)
  local key = module_filter(image)
  redis.call('UNLINK', key)
  local marks = module_marks(image)
  local made = redis.pcall('BF.RESERVE', key, rate, string.format('%.0f', capacity + #marks),
    'NONSCALING')
  if made.err then return nil, made.err end
  local items = 0
  for _, fresh in ipairs(redis.call('BF.INSERT', key, 'NOCREATE', 'ITEMS', unpack(marks))) do
    items = items + fresh
  end
  return items
end

-- Adds packed hashes to the filter beside an image, and to the image's count. Returns for each a 1
-- if it was new, else 0; or nil and the reason why not all were added.
local function module_add(image, hashes)
  local items = {}
  for i = 1, #hashes / 8 do items[i] = string.sub(hashes, 8 * i - 7, 8 * i) end
  local replies = redis.pcall('BF.INSERT', module_filter(image), 'NOCREATE', 'ITEMS', unpack(items))
  if replies.err then return nil, replies.err end
  local items, refusal = 0, nil
  for _, reply in ipairs(replies) do
    if type(reply) == 'table' then refusal = reply.err else items = items + reply end
  end
  redis.call('BITFIELD', image, 'INCRBY', 'i64', ADDED_KEYS, items)
  if refusal then return nil, refusal end
  return replies
end

-- The beginning of every script that changes a partition: reads the partition's state, and notices
-- a loss of writes by Redis (docs/decisions/0010).
-- KEYS: head, journal, then the serving, building and previous image that the caller knows of (the
-- head for a missing one). ARGV: the caller's view of the head; the server it speaks to; the
-- highest beat that it has seen there; the latest loss epoch that it knows.
-- Ends the script with headless or reread if the caller's view is out of date.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'headless'} end
local head = {}
do
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do head[fields[i]] = fields[i + 1] end
end
if not head.format then return {'headless'} end
if (head.serving or '') .. ',' .. (head.building or '') .. ',' .. (head.previous or '') .. ','
  .. (head.hashing or '') ~= ARGV[1] then return {'reread'} end

-- Microseconds fit a Lua number exactly until the year 2255.
local now
do
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local beat = tonumber(head.beat or '0')
local function text(number) return string.format('%.0f', number) end

local function is_string(key) return redis.call('TYPE', key).ok == 'string' end

-- An image without words between its ends keeps them in a filter of the module beside it.
local function sealed(image, seal, last)
  return is_string(image)
    and word(image, SEAL_AT) == seal
    and word(image, last) == seal
    and (tonumber(last) ~= 2 * FRAME_BYTES - 8 or module_holds(image))
end

-- Removes the image of a role and its filter of the module; an abandoned or replaced image answers
-- no check.
local function drop(image, role)
  redis.call('UNLINK', image)
  if string.find(head[role .. '-fingerprint'] or '', 'CLASSIC', 1, true) then
    redis.call('UNLINK', module_filter(image))
  end
end

-- The beat of an image; nil if there is no image.
local function beat_of(image)
  if not is_string(image) or redis.call('STRLEN', image) < 2 * FRAME_BYTES then return nil end
  return redis.call('BITFIELD', image, 'GET', 'i64', BEAT)[1]
end

local function in_step(image) return beat_of(image) == beat end

-- Advances the head and the images in step with it by one beat.
local function advance(images)
  beat = math.max(beat + 1, now)
  for _, image in ipairs(images) do
    redis.call('BITFIELD', image, 'SET', 'i64', BEAT, text(beat))
  end
  redis.call('HSET', KEYS[1], 'beat', text(beat))
end

-- The mark in an image whose content is known to be complete under an epoch.
local function digest(epoch)
  return (string.gsub(string.sub(redis.sha1hex(epoch), 1, 16), '..', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

local function journal_is_whole()
  if not head['journal-last'] then return true end
  local info = redis.pcall('XINFO', 'STREAM', KEYS[2])
  if info.err then return false end
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then return info[i + 1] == head['journal-last'] end
  end
  return false
end

-- The journal's memory in Redis, measured at a few of its nodes.
local function journal_bytes()
  local bytes = redis.pcall('MEMORY', 'USAGE', KEYS[2])
  if type(bytes) == 'number' then return bytes end
  -- There is no journal, or no right to measure it: an entry of one key takes less than that.
  return 64 * redis.call('XLEN', KEYS[2])
end

-- Puts the partition in doubt: every answer is unknown until it is settled. The build is abandoned,
-- because its image may lack a part that its builder has sent.
local function doubt(since)
  if head.since then since = math.min(since, tonumber(head.since)) end
  head.losses = text(math.max(now, tonumber(head.losses or '0') + 1, tonumber(ARGV[4]) + 1))
  head.since, head.server, head.settled, head.epoch = text(since), ARGV[2], nil, nil
  redis.call('HSET', KEYS[1], 'losses', head.losses, 'since', head.since, 'server', ARGV[2])
  if head.building then drop(KEYS[4], 'building') end
  redis.call('HDEL', KEYS[1], 'settled', 'noted', 'epoch', 'building', 'building-fingerprint')
  head.noted, head.building = nil, nil
  if head.serving and beat_of(KEYS[3]) then
    redis.call('BITFIELD', KEYS[3], 'SET', 'i64', EPOCH, 0)
  end
end

do
  local journal = redis.call('TYPE', KEYS[2]).ok
  if journal ~= 'stream' and journal ~= 'none' then redis.call('UNLINK', KEYS[2]) end
  local serving = head.serving and beat_of(KEYS[3])
  if head.server ~= ARGV[2] or tonumber(head.losses or '0') < tonumber(ARGV[4])
    or not journal_is_whole() then
    redis.call('HDEL', KEYS[1], 'journal-last')
    head['journal-last'] = nil
    doubt(beat)
  end
  local seen = tonumber(ARGV[3])
  if beat < seen or (serving and serving ~= beat) then
    doubt(math.min(beat, serving or beat))
    -- From here on they are in step again, and later than any beat that a process has seen.
    beat = math.max(beat, seen)
    redis.call('HSET', KEYS[1], 'beat', text(beat))
    if serving then redis.call('BITFIELD', KEYS[3], 'SET', 'i64', BEAT, text(beat)) end
  end
end

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

-- Adds keys to every image that takes adds and to the journal, or does nothing. After partition.lua
-- and positions.lua.
-- ARGV, from the fifth: the time of journal entries in ms; the 64-bit hashes for the journal; the
-- number of keys; the loss epoch after which this adds again, empty for new keys; the most bytes of
-- the journal; 1 if there are more keys than hashes, because the journal has fresh entries of the
-- others; then for each image: role (serving if this one must take the add, kept if it need not),
-- its place in KEYS, seal, byte of its last word, offsets per key, offsets (u32, packed) and bits
-- of a position; for an image beside a filter of the module 0 and the hashes.
-- Answers ok, then for each key 1 if it was absent from the serving image until now and else 0, and
-- the beat; or headless, reread, damaged, full; or refused and the reason.
local entries_ms, hashes, key_count, good_for, most_bytes, leaves_out = unpack(ARGV, 5)

if good_for ~= '' and head.losses ~= good_for then return {'reread'} end
-- The caller knows of those entries only until the next loss.
if leaves_out ~= '' and (not head.losses or tonumber(head.losses) ~= tonumber(ARGV[4])) then
  return {'reread'}
end

-- First read everything, then write: an error half way must not leave a partial add unnoticed.
-- The beat of a damaged image advances too: otherwise every add would look like another loss.
local images, stepping = {}, {}
for arg = 11, #ARGV, 7 do
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
  redis.call('XTRIM', KEYS[2], 'MINID', text(oldest))
  if not has_room() then return {'full'} end
end

local count = tonumber(key_count)
-- If no image serves, or the serving image is in doubt, no key is known to be new.
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
  redis.call('BITFIELD', image.key, 'INCRBY', 'i64', ADDED_KEYS, changed, 'INCRBY', 'i64', SET_BITS, bits)
end
for i, image in ipairs(images) do
  if ARGV[image.arg + 4] ~= '0' then
    set_bits(i, image)
  else
    local fresh, refusal = module_add(image.key, ARGV[image.arg + 5])
    -- The serving image comes first, so that no other image has the keys.
    if refusal and ARGV[image.arg] == 'serving' then return {'refused', refusal} end
    -- An image that lacks an add must never answer; without its filter it does not.
    if refusal then redis.call('UNLINK', module_filter(image.key)) end
    if i == 1 then
      for key = 1, count do fresh_keys[key] = tells and fresh and fresh[key] == 1 and '1' or '0' end
    end
  end
end

-- During a migration the head names two hash schemes, its own first.
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
