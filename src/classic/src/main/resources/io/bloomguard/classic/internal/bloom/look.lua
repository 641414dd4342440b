-- The beginning of every script: reads the type of the key, since the module answers 0 for a
-- missing key and for one of another type. RedisBloom calls its type MBbloom--, valkey-bloom
-- bloomfltr.
-- KEYS: the filter.
-- Ends the script with no-module, or with wrong and the present type.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'MBbloom--' and kind ~= 'bloomfltr' then
  -- A server without the module knows no such type either.
  local answer = redis.pcall('BF.EXISTS', KEYS[1], '')
  if type(answer) == 'table' and answer.err and string.find(answer.err, 'nknown') then
    return {'no-module'}
  end
  if kind ~= 'none' then return {'wrong', kind} end
end

