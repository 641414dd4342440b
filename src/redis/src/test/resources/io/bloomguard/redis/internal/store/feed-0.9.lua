-- Reads or changes the record of a filter's feed of changes. KEYS: the head of partition 0.
-- ARGV: read, claim, begin, advance or built; the reader's number, or that of the begin that was
-- built; the position, empty for none; the age in microseconds, empty for none.
-- The record is one field: reader|begun|built|moment|position, the moment in microseconds of Redis'
-- clock, 0 for none. It lives and dies with the head.
-- Answers ok, reader, begun, built, age (empty for none) and position; or fenced, headless.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HEXISTS', KEYS[1], 'format') == 0 then
  return {'headless'}
end
local held = redis.call('HGET', KEYS[1], 'feed') or ''
local reader, begun, built, moment, position =
  string.match(held, '^(%d+)|(%d+)|(%d+)|(%d+)|(.*)$')
reader, begun, built = tonumber(reader or '0'), tonumber(begun or '0'), tonumber(built or '0')
moment, position = tonumber(moment or '0'), position or ''
-- Microseconds fit a Lua number exactly until the year 2255.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function text(number) return string.format('%.0f', number) end
local what, number = ARGV[1], tonumber(ARGV[2])
if (what == 'begin' or what == 'advance') and number ~= reader then return {'fenced'} end
if what == 'claim' then
  -- Higher than any before, also after a loss of the head.
  reader = math.max(reader + 1, now)
elseif what == 'begin' then
  begun, position, moment = math.max(begun + 1, now), ARGV[3], 0
elseif what == 'advance' then
  if ARGV[3] ~= '' then position = ARGV[3] end
  if ARGV[4] ~= '' then moment = now - tonumber(ARGV[4]) end
elseif what == 'built' then
  built = math.max(built, number)
end
if what ~= 'read' then
  redis.call('HSET', KEYS[1], 'feed', text(reader) .. '|' .. text(begun) .. '|' .. text(built)
    .. '|' .. text(moment) .. '|' .. position)
end
local age = moment == 0 and '' or text(math.max(0, now - moment))
return {'ok', text(reader), text(begun), text(built), age, position}
