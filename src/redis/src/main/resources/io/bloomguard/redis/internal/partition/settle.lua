-- Enters a writer that has added its retained adds again, and ends the doubt about the partition
-- once every writer has entered and nothing else prevents it. After partition.lua, and after the
-- list of writers among the KEYS.
-- ARGV, from the fifth: the writer; the loss epoch after which it has added again; the lifetime of
-- its entry, and the least time of a doubt, in ms; the longest gap that adds can fill, in ms; the
-- newest generation that it knows; 1 if the filter has a source for a rebuild; the serving image's
-- READY seal and byte of its last word; its entry as last written, empty if it has none; 1 if rows
-- that came up in the source meanwhile were added again too.
-- Answers trusted and the entry; settled, waiting or rebuild and the entry if the partition is not
-- trusted; or lost, headless, reread.
local writer, settled_for, lifetime_ms, grace_ms, gap_ms, newest, has_source, seal, last,
  known_entry, refilled = unpack(ARGV, 5)
local writers, lifetime = KEYS[6], tonumber(lifetime_ms) * 1000
local function forget_expired(list)
  local held = redis.call('HGETALL', list)
  for i = 1, #held, 2 do
    local ends = tonumber(string.match(held[i + 1], '^%d+|(%d+)|') or '0')
    if ends <= now then redis.call('HDEL', list, held[i]) end
  end
end
if redis.call('TYPE', writers).ok ~= 'hash' then redis.call('UNLINK', writers) end
if known_entry ~= '' and redis.call('HGET', writers, writer) ~= known_entry then
  -- The partition was put back as a whole, and another process has advanced its beat since: its age
  -- is in the entry. Without an entry nothing tells; without a list, only the list is lost.
  local held = redis.call('HGET', writers, writer)
  local ends = held and tonumber(string.match(held, '^%d+|(%d+)|') or '0')
  if ends then
    doubt(math.max(0, ends - lifetime))
  elseif redis.call('EXISTS', writers) == 1 then
    doubt(0)
  else
    doubt(beat)
  end
  return {'lost'}
end
if head.losses ~= settled_for then return {'reread'} end
local can_build = has_source == '1'
local entry = head.losses .. '|' .. text(now + lifetime) .. '|' .. (can_build and '1' or '0')
redis.call('HSET', writers, writer, entry)
if head.epoch then
  if redis.call('HLEN', writers) > 100 then forget_expired(writers) end
  return {'trusted', entry}
end

local function only_rebuild_helps()
  redis.call('HSET', KEYS[1], 'rebuild', 'source')
  head.rebuild = 'source'
end

-- Only a new generation has the keys of a lost one, or rows that could not be read again. Noted at
-- once: this writer may be gone when the others have reported.
local generation_lost = tonumber(head.last or '0') < tonumber(newest)
if can_build and (generation_lost or refilled ~= '1') then only_rebuild_helps() end
local noted = tonumber(head.noted or text(now))
if not head.noted then redis.call('HSET', KEYS[1], 'noted', text(now)) end
local since = tonumber(head.since or '0')
local waiting, missing = false, false
local entries = redis.call('HGETALL', writers)
for i = 1, #entries, 2 do
  local losses, ends, builds = string.match(entries[i + 1], '^(%d+)|(%d+)|(%d)$')
  ends = tonumber(ends or '0')
  -- One writer that can rebuild the filter is enough to request a rebuild.
  if builds == '1' and ends > now then can_build = true end
  if losses ~= head.losses then
    if ends > now then
      waiting = true
    elseif ends > since then
      missing = true
    end
  end
end
if waiting or now - noted < tonumber(grace_ms) * 1000 then
  return {'waiting', entry}
end
forget_expired(writers)
-- The adds of a gone writer stay missing, also for writers that settle after this.
if can_build and (missing or noted - since > tonumber(gap_ms) * 1000) then
  only_rebuild_helps()
end

redis.call('HSET', KEYS[1], 'settled', head.losses)
if not head.serving then return {'settled', entry} end
local trust = sealed(KEYS[3], seal, tonumber(last)) and in_step(KEYS[3])
if not trust or head.rebuild == 'source' then
  if not head.rebuild then redis.call('HSET', KEYS[1], 'rebuild', '1') end
  return {'rebuild', entry}
end
local epoch = head.server .. ':' .. head.losses
redis.call('SETRANGE', KEYS[3], EPOCH_AT, digest(epoch))
redis.call('HSET', KEYS[1], 'epoch', epoch)
redis.call('HDEL', KEYS[1], 'noted', 'since', 'rebuild')
return {'trusted', entry}
