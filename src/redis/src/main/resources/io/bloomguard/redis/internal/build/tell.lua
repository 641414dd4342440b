-- Writes the status of a build. Each line begins with the build's fencing token; a line of a later
-- build stays.
-- KEYS: board. ARGV: token, then a field and its line, as often as there are any.
-- Answers ok and the run that was requested to stop, empty for none.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then redis.call('UNLINK', KEYS[1]) end
for i = 2, #ARGV, 2 do
  local known = redis.call('HGET', KEYS[1], ARGV[i]) or ''
  if tonumber(string.match(known, '^%d+') or '0') <= tonumber(ARGV[1]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
return {'ok', redis.call('HGET', KEYS[1], 'cancel') or ''}
