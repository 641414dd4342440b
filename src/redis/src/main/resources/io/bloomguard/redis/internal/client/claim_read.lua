-- Reads the answers under a claim. KEYS: claims, their ends. ARGV: the claim's name.
-- Answers ok and what the hash has for it, empty if that is nothing, or its time is over.
local time = redis.call('TIME')
local stays = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not stays or tonumber(stays) < time[1] * 1000 + math.floor(time[2] / 1000) then
  return {'ok', ''}
end
return {'ok', redis.call('HGET', KEYS[1], ARGV[1]) or ''}
