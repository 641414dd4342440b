-- A process' heartbeat: notices a loss of Redis, and ends the doubt once every process has added
-- its retained adds again. After subjects.lua.
-- KEYS: head, index, writers. ARGV: fingerprint; the server that the caller speaks to; the writer;
-- the creation of the head that it knows, empty for none; the highest beat it has seen; the loss
-- epoch after which it has added again; in ms the lifetime of a subject, the time for which adds
-- are retained, the least time of a doubt, the lifetime of a writer's entry; the most subjects to
-- forget.
-- Answers ok, the head's creation, loss epoch, 1 if its losses are recovered, the beat, the ms for
-- which new images may lack keys, and the number of subjects; foreign; or taken and head, index or
-- writers, if another program's data is at the key, which is left alone.
local head_key, index, writers = KEYS[1], KEYS[2], KEYS[3]
local known, ttl = ARGV[4], tonumber(ARGV[7])
if not may_be(head_key, 'hash') then return {'taken', 'head'} end
if not may_be(index, 'zset') then return {'taken', 'index'} end
if not may_be(writers, 'hash') then return {'taken', 'writers'} end
local head = head_at(head_key)
if not head then return {'taken', 'head'} end
local function set(field, value)
  head[field] = value
  redis.call('HSET', head_key, field, value)
end

-- Any key that lives longer than this was added later.
local function doubt_until(time)
  if time > tonumber(head.doubt or '0') then set('doubt', text(time)) end
end

local function lose()
  set('losses', text(math.max(micros, tonumber(head.losses or '0') + 1)))
  redis.call('HDEL', head_key, 'settled')
  head.settled = nil
end

local function create()
  redis.call('UNLINK', head_key, writers)
  head = {enforcement = head.enforcement}
  for field, value in pairs({format = '1', fingerprint = ARGV[1], server = ARGV[2],
    losses = text(micros), created = text(micros), beat = text(now),
    count = text(redis.call('ZCARD', index)), enforcement = head.enforcement}) do
    set(field, value)
  end
end

local count = redis.call('ZCARD', index)
if head.format and head.fingerprint ~= ARGV[1] then
  -- Another shape, hash or secret may take over once no subject lives that was filled under this
  -- one.
  if tonumber(head.count) ~= count or redis.call('ZCOUNT', index, text(now), '+inf') > 0 then
    return {'foreign'}
  end
  redis.call('UNLINK', index)
  create()
elseif not head.format then
  create()
  -- There was a head: its knowledge is lost, and subjects with it.
  if known ~= '' or count > 0 then doubt_until(now + ttl) end
end
if known ~= '' and known ~= head.created then
  doubt_until(math.floor(tonumber(head.created) / 1000) + ttl)
elseif tonumber(head.beat) < tonumber(ARGV[5]) then
  lose()
  -- Adds between the two beats that are no longer retained would have lived until then.
  if tonumber(head.beat) < now - tonumber(ARGV[8]) then doubt_until(tonumber(ARGV[5]) + ttl) end
end
count = redis.call('ZCARD', index)
if tonumber(head.count) ~= count then
  lose()
  doubt_until(now + ttl)
end
if head.server ~= ARGV[2] then
  lose()
  set('server', ARGV[2])
end
set('beat', text(math.max(now, tonumber(head.beat) + 1)))
prune(index, tonumber(ARGV[11]))
set('count', text(redis.call('ZCARD', index)))

redis.call('HSET', writers, ARGV[3], ARGV[6] .. '|' .. text(now + tonumber(ARGV[10])))
if head.settled ~= head.losses or redis.call('HLEN', writers) > 64 then
  local waiting = false
  local entries = redis.call('HGETALL', writers)
  for i = 1, #entries, 2 do
    local losses, lives = string.match(entries[i + 1], '^(%d*)|(%d+)$')
    if tonumber(lives or '0') < now then
      redis.call('HDEL', writers, entries[i])
    elseif losses ~= head.losses then
      waiting = true
    end
  end
  if not waiting and micros - tonumber(head.losses) >= tonumber(ARGV[9]) * 1000 then
    set('settled', head.losses)
  end
end
return {'ok', head.created, head.losses, head.settled == head.losses and 1 or 0, head.beat,
  math.max(0, tonumber(head.doubt or '0') - now),
  redis.call('ZCOUNT', index, text(now), '+inf')}
