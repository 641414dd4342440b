-- Prepares a partition for a scheme migration, or marks it: from then on every add must reach the
-- next scheme too, and a process that cannot do that is refused. Both happen only once, in one step
-- with the making of the next scheme's head (docs/decisions/0012). After format.lua.
-- KEYS: head; the next scheme's head, journal, writers. ARGV: the scheme and the next one; 1 if the
-- scheme has this partition; 1 to mark it; the server that the caller speaks to.
-- Answers ok; the time of the mark, empty if the scheme has no such partition; the microseconds
-- since then, or, in that case, since the next one's head was made; and 1 if the next one has every
-- add from before; or moved, headless, foreign.
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
if hashing(KEYS[2]) ~= arriving then
  -- The next scheme no longer has its earlier adds.
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[2], 'format', FORMAT, 'hashing', arriving, 'server', ARGV[5], 'losses',
    text(now), 'since', text(now), 'beat', text(now), 'made', text(now))
  if old then
    -- If it had adds, they are in the source after another wait.
    if held == leaving then redis.call('HSET', KEYS[1], 'marked', text(now)) end
    redis.call('HDEL', KEYS[1], 'ready', 'closing')
    -- The lineage and the numbers of the generations continue.
    for _, name in ipairs({'last', 'lineage', 'swaps', 'met'}) do
      local value = redis.call('HGET', KEYS[1], name)
      if value then redis.call('HSET', KEYS[2], name, value) end
    end
  end
end
if not old then
  local made = redis.call('HGET', KEYS[2], 'made') or text(now)
  return {'ok', '', text(now - tonumber(made)), '1'}
end
if ARGV[4] == '1' and (held == ARGV[1] or redis.call('HEXISTS', KEYS[1], 'marked') == 0) then
  redis.call('HSET', KEYS[1], 'hashing', leaving, 'marked', text(now))
  redis.call('HDEL', KEYS[1], 'ready', 'closing')
end
local fields = redis.call('HMGET', KEYS[1], 'marked', 'ready')
local marked = fields[1] or text(now)
return {'ok', marked, text(now - tonumber(marked)), fields[2] == marked and '1' or '0'}
