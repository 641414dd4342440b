-- Abandons a build, unless this partition has published it.
-- KEYS: head, its image, lock (partition 0; any other: the head again).
-- ARGV: its id, lock owner (empty: not checked). Answers ok.
local published = false
if redis.call('TYPE', KEYS[1]).ok == 'hash' then
  local head = redis.call('HMGET', KEYS[1], 'serving', 'building', 'previous')
  published = head[1] == ARGV[1] or head[3] == ARGV[1]
  if head[2] == ARGV[1] then redis.call('HDEL', KEYS[1], 'building', 'building-fingerprint') end
end
if not published then redis.call('UNLINK', KEYS[2]) end
if ARGV[2] ~= '' and redis.call('GET', KEYS[3]) == ARGV[2] then redis.call('DEL', KEYS[3]) end
return {'ok'}
