-- Sends a heartbeat, and drops the previous image once its grace is over and journal entries past
-- their time. After partition.lua and writers.lua, and after the list of writers among the KEYS.
-- ARGV, from the fifth: the grace, and the time of entries, in ms.
-- Answers ok and the bytes of the journal, or headless, reread.
local grace_ms, entries_ms = unpack(ARGV, 5)
local oldest = math.floor(now / 1000) - tonumber(grace_ms)
if head.previous and tonumber(head.swapped or '0') < oldest then
  redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint', 'previous-keys')
  redis.call('UNLINK', KEYS[5])
  head.previous = nil
end
if not head.building then
  local expired = math.floor(now / 1000) - tonumber(entries_ms)
  -- A process of an earlier version does not note what it trims.
  from_now_on(writers_are_of_this_version(KEYS[6], now) and expired or math.floor(now / 1000))
  if redis.call('TYPE', KEYS[2]).ok == 'stream' then
    redis.call('XTRIM', KEYS[2], 'MINID', '~', text(expired))
  end
end
-- No key of a filter is meant to expire.
redis.call('PERSIST', KEYS[1])
redis.call('PERSIST', KEYS[2])
local images = images_in_step()
for _, image in ipairs(images) do redis.call('PERSIST', image) end
advance(images)
return {'ok', journal_bytes()}
