-- Changes whether a filter rejects, or only observes. KEYS: the head of partition 0.
-- ARGV: the revision that the caller knows; 1 if it is disarmed there, else 0; the mode there,
-- empty for the configured one; disarm, arm, repaired (arm, and forget what was rejected wrongly),
-- observe, enforce, or empty for no change; the
-- generation that has rejected wrongly, or that is to be armed unless it has, 0 for none; the hashes
-- of keys that it rejected wrongly, each followed by a comma; how many of them are kept.
-- If the head has lost the caller's revision, this writes it back.
-- Answers ok, the revision, 1 or 0, the mode, the generation that has rejected wrongly, and the
-- hashes; or headless.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HEXISTS', KEYS[1], 'format') == 0 then
  return {'headless'}
end
local held = redis.call('HGET', KEYS[1], 'enforcement') or ''
local revision, disarmed, mode = string.match(held, '^(%d+)|([01])|(%l*)$')
revision, disarmed, mode = tonumber(revision or '0'), disarmed or '0', mode or ''
if tonumber(ARGV[1]) > revision then
  revision, disarmed, mode = tonumber(ARGV[1]), ARGV[2], ARGV[3]
end
local was = disarmed .. mode
if ARGV[4] == 'disarm' then
  disarmed = '1'
  local proven = redis.call('HGET', KEYS[1], 'proven') or ''
  if ARGV[5] ~= '0' and redis.call('HGET', KEYS[1], 'wrong') ~= ARGV[5] then
    redis.call('HSET', KEYS[1], 'wrong', ARGV[5])
    redis.call('HDEL', KEYS[1], 'proven')
    proven = ''
  end
  local _, kept = string.gsub(proven, ',', '')
  for hash in string.gmatch(ARGV[6], '([^,]+),') do
    if kept < tonumber(ARGV[7]) and not string.find(',' .. proven, ',' .. hash .. ',', 1, true) then
      proven, kept = proven .. hash .. ',', kept + 1
      redis.call('HSET', KEYS[1], 'proven', proven)
    end
  end
end
if ARGV[4] == 'arm' and (ARGV[5] == '0' or redis.call('HGET', KEYS[1], 'wrong') ~= ARGV[5]) then
  disarmed = '0'
end
if ARGV[4] == 'repaired' then
  disarmed = '0'
  redis.call('HDEL', KEYS[1], 'wrong', 'proven')
end
if ARGV[4] == 'observe' or ARGV[4] == 'enforce' then mode = ARGV[4] end
if disarmed .. mode ~= was then
  -- Microseconds fit a Lua number exactly until the year 2255.
  local time = redis.call('TIME')
  revision = math.max(revision + 1, time[1] * 1000000 + time[2])
end
local text = string.format('%.0f', revision)
local now = text .. '|' .. disarmed .. '|' .. mode
if revision > 0 and now ~= held then redis.call('HSET', KEYS[1], 'enforcement', now) end
return {'ok', text, disarmed, mode, redis.call('HGET', KEYS[1], 'wrong') or '0',
  redis.call('HGET', KEYS[1], 'proven') or ''}
