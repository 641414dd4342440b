-- Prepares a partition for a scheme migration, or marks it: from then on every add must reach the
-- next scheme too, and a process that cannot do that is refused. In one step with the making of the
-- next scheme's head (docs/decisions/0012). After format.lua.
-- KEYS: head; the next scheme's head, journal, writers. ARGV: the scheme and the next one; 1 if the
-- scheme has this partition; the server that the caller speaks to; prepare, again for a mark that
-- may be lost, or the fencing token of the registered build to which every later add goes too.
-- Answers ok, the time since which that is so and the microseconds since then; or moved, headless,
-- foreign.
local function hashing(key)
  return redis.call('TYPE', key).ok == 'hash' and redis.call('HGET', key, 'hashing') or nil
end
local leaving, arriving = ARGV[1] .. '>' .. ARGV[2], ARGV[2] .. '<' .. ARGV[1]
local old, held = ARGV[3] == '1', hashing(KEYS[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function text(number) return string.format('%.0f', number) end

if held and string.match(held, '^[^<>]*') == ARGV[2] then return {'moved'} end
if old and not held then return {'headless'} end
if old and held ~= ARGV[1] and held ~= leaving then return {'foreign'} end
local is_lost = hashing(KEYS[2]) ~= arriving
if is_lost then
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[2], 'format', FORMAT, 'hashing', arriving, 'server', ARGV[4], 'losses',
    text(now), 'since', text(now), 'beat', text(now), 'made', text(now))
end
local since = redis.call('HGET', old and KEYS[1] or KEYS[2], old and 'marked' or 'made')
if old and is_lost then
  -- The lineage and the numbers of the generations continue.
  for _, name in ipairs({'last', 'lineage', 'swaps', 'met'}) do
    local value = redis.call('HGET', KEYS[1], name)
    if value then redis.call('HSET', KEYS[2], name, value) end
  end
end
if old and (held == leaving or ARGV[5] ~= 'prepare') then
  if is_lost or held ~= leaving or not since then
    -- Earlier adds may be missing in the next scheme: they are in the source after another wait.
    since = text(now)
    redis.call('HSET', KEYS[1], 'hashing', leaving, 'marked', since)
    redis.call('HDEL', KEYS[1], 'marked-for', 'closing')
  end
  local mark = tonumber(ARGV[5]) and ARGV[5] .. '@' .. since
  if mark and redis.call('HGET', KEYS[1], 'marked-for') ~= mark then
    redis.call('HSET', KEYS[1], 'marked-for', mark)
    redis.call('HDEL', KEYS[1], 'closing')
  end
end
since = since or text(now)
return {'ok', since, text(now - tonumber(since))}
