-- The beginning of every script that changes a partition: reads the partition's state, and notices
-- a loss of writes by Redis (docs/decisions/0010).
-- KEYS: head, journal, then the serving, building and previous image that the caller knows of (the
-- head for a missing one). ARGV: the caller's view of the head; the server it speaks to; the
-- highest beat that it has seen there; the latest loss epoch that it knows.
-- Ends the script with headless or reread if the caller's view is out of date.
local head = {}
do
  local fields = redis.pcall('HGETALL', KEYS[1])
  if fields.err then return {'headless'} end
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

-- The moment in ms from which on the journal has every acknowledged add: earlier ones were trimmed, or
-- a loss may have taken them. An entry is trimmed after it is noted that it may be.
local whole = tonumber(head.whole) or math.floor(now / 1000)
local function from_now_on(moment)
  whole = math.max(whole, moment)
  if text(whole) ~= head.whole then redis.call('HSET', KEYS[1], 'whole', text(whole)) end
end

local function is_string(key) return redis.call('TYPE', key).ok == 'string' end

local function sealed(image, seal, last)
  return is_string(image)
    and word(image, SEAL_AT) == seal
    and word(image, last) == seal
end

-- The beat of an image; nil if there is no image.
local function beat_of(image)
  if not is_string(image) or redis.call('STRLEN', image) < 2 * FRAME_BYTES then return nil end
  return redis.call('BITFIELD', image, 'GET', 'i64', BEAT)[1]
end

local function in_step(image) return beat_of(image) == beat end

-- The images in step, of those that the head names.
local function images_in_step()
  local images = {}
  for i, role in ipairs({'serving', 'building', 'previous'}) do
    if head[role] and in_step(KEYS[i + 2]) then images[#images + 1] = KEYS[i + 2] end
  end
  return images
end

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

-- What Redis tells of the journal, once it was asked.
local journal_info

local function journal_is_whole()
  if not head['journal-last'] then return true end
  journal_info = redis.pcall('XINFO', 'STREAM', KEYS[2])
  if journal_info.err then return false end
  for i = 1, #journal_info, 2 do
    if journal_info[i] == 'last-generated-id' then
      return journal_info[i + 1] == head['journal-last']
    end
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

-- The register of copies (docs/decisions/0079): a field of the head for each, named copy:<id>, with
-- the image that it follows, the last journal entry that it has, the milliseconds of its leases and
-- the number of its last poll, joined by bars; and their number, by which a loss of some is noticed.
local function copies()
  local found, count = {}, 0
  for name, value in pairs(head) do
    if string.sub(name, 1, 5) == 'copy:' then
      found[name] = value
      count = count + 1
    end
  end
  return found, count
end

local function register_is_whole()
  local _, count = copies()
  return count == tonumber(head.copies or '0')
end

-- What the caller must wait for: server, losses, hash scheme and beat under which this is so; the
-- serving image; the journal's end; then name and entry of every copy that may lack any of that,
-- but for one that the caller tells itself. Wakes them, with what they may read in place of a page.
local function told(answer, own, news)
  local last = head['journal-last'] or '0-0'
  answer[#answer + 1] = head.server or ''
  answer[#answer + 1] = head.losses or '0'
  answer[#answer + 1] = head.hashing
  answer[#answer + 1] = text(beat)
  answer[#answer + 1] = head.serving or ''
  answer[#answer + 1] = last
  local behind = false
  for name, value in pairs(copies()) do
    local image, position = string.match(value, '^([^|]*)|([^|]*)|')
    if name ~= own and (image ~= head.serving or position ~= last) then
      behind = true
      answer[#answer + 1] = name
      answer[#answer + 1] = value
    end
  end
  -- A user without the right to publish has copies that learn of it with their next poll.
  if behind then redis.pcall('PUBLISH', KEYS[1], news or '') end
  return answer
end

-- Puts the partition in doubt: every answer is unknown until it is settled. The build is abandoned,
-- because its image may lack a part that its builder has sent.
local function doubt(since)
  if head.since then since = math.min(since, tonumber(head.since)) end
  head.losses = text(math.max(now, tonumber(head.losses or '0') + 1, tonumber(ARGV[4]) + 1))
  head.since, head.server, head.settled, head.epoch = text(since), ARGV[2], nil, nil
  from_now_on(math.ceil(now / 1000))
  redis.call('HSET', KEYS[1], 'losses', head.losses, 'since', head.since, 'server', ARGV[2])
  if head.building then redis.call('UNLINK', KEYS[4]) end
  redis.call('HDEL', KEYS[1], 'settled', 'noted', 'epoch', 'building', 'building-fingerprint',
    'closing', 'copies')
  head.noted, head.building, head.closing, head.copies = nil, nil, nil, nil
  -- What was registered under other losses says nothing: writers wait for the longest lease.
  for name in pairs(copies()) do
    redis.call('HDEL', KEYS[1], name)
    head[name] = nil
  end
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
  if beat < seen or (serving and serving ~= beat) or not register_is_whole() then
    doubt(math.min(beat, serving or beat))
    -- From here on they are in step again, and later than any beat that a process has seen.
    beat = math.max(beat, seen)
    redis.call('HSET', KEYS[1], 'beat', text(beat))
    if serving then redis.call('BITFIELD', KEYS[3], 'SET', 'i64', BEAT, text(beat)) end
  end
end

