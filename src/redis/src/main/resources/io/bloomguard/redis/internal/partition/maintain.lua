-- Sends a heartbeat, and drops the previous image once its grace is over and journal entries past
-- their time. After partition.lua.
-- ARGV, from the fifth: the grace, and the time of entries, in ms.
-- Answers ok and the bytes of the journal, or headless, reread.
local grace_ms, entries_ms = unpack(ARGV, 5)
local oldest = math.floor(now / 1000) - tonumber(grace_ms)
if head.previous and tonumber(head.swapped or '0') < oldest then
  redis.call('HDEL', KEYS[1], 'previous', 'previous-fingerprint', 'previous-keys')
  redis.call('UNLINK', KEYS[5])
  head.previous = nil
end
if not head.building and redis.call('TYPE', KEYS[2]).ok == 'stream' then
  local expired = math.floor(now / 1000) - tonumber(entries_ms)
  redis.call('XTRIM', KEYS[2], 'MINID', '~', text(expired))
end
-- No key of a filter is meant to expire.
redis.call('PERSIST', KEYS[1])
redis.call('PERSIST', KEYS[2])
local images = images_in_step()
for _, image in ipairs(images) do redis.call('PERSIST', image) end
advance(images)
return {'ok', journal_bytes()}
