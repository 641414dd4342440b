-- Ends the registration of copies of a scheme that is about to be replaced: none takes a lease from
-- here on. KEYS: head. ARGV: its scheme with the mark; a name for this closing. Answers ok and the
-- name of the closing, which is an earlier one if there was one; or changed.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HGET', KEYS[1], 'hashing') ~= ARGV[1] then
  return {'changed'}
end
redis.call('HSETNX', KEYS[1], 'closing', ARGV[2])
return {'ok', redis.call('HGET', KEYS[1], 'closing')}
