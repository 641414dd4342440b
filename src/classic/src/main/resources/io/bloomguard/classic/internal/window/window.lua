-- The state of a window in Redis, by Redis' clock. After small.lua.
-- Generation n of a window of c generations is in image n modulo c, so that the keys never change.
-- KEYS: the head, then the images, then, for an add, the claims and their ends.
-- ARGV: the server that the caller speaks to; the fingerprint that it expects; the epoch of the
-- head that it has seen before, empty for none; the epoch of a head that is made now; the
-- milliseconds of a generation; the byte at which an image's trailer begins; the milliseconds in
-- which a new head trusts nothing; the milliseconds by which the clock is put forward; for checks and
-- adds offsets per key and the offsets of all keys (u32, packed).
-- Answers taken and head or image, if another program's data is at the key, which is left alone; or
-- foreign and the epoch of the head, if it is of other settings, of another secret or of another version.
-- Leaves: head, newest, the whole images, newest first, in live, their numbers in numbers, and
-- certain: whether a key in none of them is absent.

-- The version of the head and the images.
local FORMAT = '1'

local length, count = tonumber(ARGV[5]), tonumber(string.match(ARGV[2], ';count=(%d+)$'))
local trailer, ahead = tonumber(ARGV[6]), tonumber(ARGV[8])
local per, offsets = tonumber(ARGV[9] or '0'), ARGV[10]
now = now + ahead

for i = 1, count + 1 do
  if not may_be(KEYS[i], i == 1 and 'hash' or 'string') then
    return {'taken', i == 1 and 'head' or 'image'}
  end
end
local head = head_at(KEYS[1])
if not head then return {'taken', 'head'} end
local function set(field, value)
  head[field] = text(value)
  redis.call('HSET', KEYS[1], field, head[field])
end

-- Whether no generation is live that a head of other settings knows, by their length and count.
local function passed()
  local its_length, its_count = string.match(head.fingerprint, ';length=(%d+);count=(%d+)$')
  return its_length and math.floor(now / tonumber(its_length)) + tonumber(head.early)
    >= tonumber(head.newest) + tonumber(its_count)
end
local same = head.epoch and head.fingerprint == ARGV[2] and head.format == FORMAT
if head.epoch and not same and not passed() then
  -- Processes with those settings may be alive, and only they find the keys they have acknowledged.
  return {'foreign', head.epoch}
end

local turn = math.floor(now / length)
if not same then
  -- If there was a window before, its keys are unknown until they would have left it here.
  local before = head.epoch or ARGV[3] ~= ''
  local enforcement = head.enforcement
  redis.call('UNLINK', unpack(KEYS, 1, count + 1))
  head = {epoch = ARGV[4], fingerprint = ARGV[2], server = ARGV[1]}
  if enforcement then redis.call('HSET', KEYS[1], 'enforcement', enforcement) end
  redis.call('HSET', KEYS[1], 'format', FORMAT, 'epoch', ARGV[4], 'fingerprint', ARGV[2], 'server',
    ARGV[1])
  set('newest', turn)
  set('early', 0)
  set('doubt', before and turn or -1)
  set('doubted', now)
  -- Other processes that have seen a window here report it within this time.
  set('from', now + tonumber(ARGV[7]))
end

-- A clock that is put back begins no generation twice.
local newest = math.max(turn + tonumber(head.early), tonumber(head.newest))
if newest > tonumber(head.newest) then
  redis.call('HSET', KEYS[1], 'end' .. tonumber(head.newest) % count, text(now))
  head['end' .. tonumber(head.newest) % count] = text(now)
  set('newest', newest)
end

-- Generations up to that number may lack keys: no key is absent while one of them is in the window.
local function doubt(last)
  if last > tonumber(head.doubt) then set('doubt', last) end
end
-- The same for all generations: they may lack keys acknowledged until now, whose end is unknown.
local function doubt_all()
  doubt(newest)
  set('doubted', now)
end

if head.server ~= ARGV[1] then
  -- Redis was started again, or is another server: acknowledged writes may be lost.
  doubt_all()
  head.server = ARGV[1]
  redis.call('HSET', KEYS[1], 'server', ARGV[1])
end
if ARGV[3] ~= '' and ARGV[3] ~= head.epoch then doubt_all() end

local function image(number) return KEYS[2 + number % count] end
local function made(number) return head['made' .. number % count] == text(number) end
local function seal(number)
  return string.sub(redis.sha1hex(head.fingerprint .. ':' .. head.epoch .. ':' .. text(number)), 1, 16)
end
local function whole(number)
  local key = image(number)
  return redis.call('GETRANGE', key, 0, 15) == seal(number)
    and redis.call('GETRANGE', key, trailer, trailer + 15) == seal(number)
    and text(redis.call('BITFIELD', key, 'GET', 'i64', '#2')[1]) == head['bits' .. number % count]
end

-- A generation that was never begun had no adds.
local live, numbers = {}, {}
for number = newest, newest - count + 1, -1 do
  if made(number) then
    if whole(number) then
      live[#live + 1], numbers[#numbers + 1] = image(number), number
    else
      doubt(number)
    end
  end
end
local certain = newest - count + 1 > tonumber(head.doubt) and now >= tonumber(head.from)
local epoch = head.epoch
