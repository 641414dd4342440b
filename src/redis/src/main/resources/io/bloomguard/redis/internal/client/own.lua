-- Notes this application's own writes, or finds those that were noted.
-- KEYS: the notes, by the ends of their lifetimes. ARGV: lifetime in ms, the most notes; or 0 and 0
-- to find some; then the writes.
-- Answers ok, and when it finds some 1 for each write that was noted and else 0.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
local lifetime, most = tonumber(ARGV[1]), tonumber(ARGV[2])
if lifetime > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
  if redis.call('ZCARD', KEYS[1]) + #ARGV - 2 > most then return {'ok'} end
  for i = 3, #ARGV do redis.call('ZADD', KEYS[1], text(now + lifetime), ARGV[i]) end
  redis.call('PEXPIRE', KEYS[1], lifetime)
  return {'ok'}
end
local found = {}
local any = redis.call('EXISTS', KEYS[1]) == 1
for i = 3, #ARGV do
  local ends = any and redis.call('ZSCORE', KEYS[1], ARGV[i])
  found[i - 2] = ends and tonumber(ends) > now and '1' or '0'
end
return {'ok', table.concat(found)}
