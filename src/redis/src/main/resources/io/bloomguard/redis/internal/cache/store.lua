-- Stores a loaded value, if the lease is still held, and ends the lease.
-- KEYS: value, lease, barrier, and one it leaves alone. ARGV: token; value, null or full (a null
-- entry that the bound keeps out, or a value that would not come back equal); bytes; lifetime in
-- ms. Answers stored, refused or revoked.
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return {'revoked'} end
redis.call('DEL', KEYS[2])
-- Under a barrier not even a value is stored: it may be older than the row under write, and would
-- stay if the end of the write never arrived.
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local open = redis.call('ZCOUNT', KEYS[3], '(' .. now, '+inf')
if ARGV[2] == 'full' or open > 0 then
  -- An older value under refresh must not outlive the result of this load.
  redis.call('DEL', KEYS[1])
  return {'refused'}
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return {'stored'}
