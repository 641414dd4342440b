-- Reads or changes a fact that processes share of a filter: a field of a hash, version|lineage|value.
-- A version is by Redis' clock, in microseconds, and higher than all before it. The lineage is the
-- head's for the feed, which says something of that content alone, and empty for any other fact.
-- KEYS: the facts; the head of partition 0.
-- ARGV: the field; the version that the caller knows; the value of that version if Redis is to have it
-- back, else empty; the new value, left out to read.
-- Answers ok, the version, the value, and Redis' clock; changed and the same if the caller's version
-- is another: then its value was not taken. Or headless, for the feed.
local facts, head = KEYS[1], KEYS[2]
local name, known, kept, value = unpack(ARGV)
known = tonumber(known)
local function is_hash(key) return redis.call('TYPE', key).ok == 'hash' end
-- Microseconds fit a Lua number exactly until the year 2255.
local function text(number) return string.format('%.0f', number) end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if not is_hash(facts) and redis.call('EXISTS', facts) == 1 then redis.call('UNLINK', facts) end
local has_head = is_hash(head) and redis.call('HEXISTS', head, 'format') == 1
local lineage = ''
if name == 'feed' then
  if not has_head then return {'headless'} end
  lineage = redis.call('HGET', head, 'lineage') or ''
end

local version, of, held =
  string.match(redis.call('HGET', facts, name) or '', '^(%d+)|([^|]*)|(.*)$')
local anew = of ~= lineage
if anew then version, held = 0, '' end
version = tonumber(version)

-- Version 0.9 has these two in fields of the head alone, and gets every change there.
local function write(at, new)
  version, held = at, new
  redis.call('HSET', facts, name, text(at) .. '|' .. lineage .. '|' .. new)
  if not has_head then return end
  if name == 'feed' then redis.call('HSET', head, 'feed', new, 'feed-told', new) end
  if name == 'standing' then
    local standing, wrong, proven = string.match(new, '^([01]|%l*)|(%d+)|(.*)$')
    redis.call('HSET', head, 'enforcement', text(at) .. '|' .. standing, 'wrong', wrong, 'proven',
      proven)
  end
end
if name == 'feed' then
  local there = redis.call('HMGET', head, 'feed', 'feed-told')
  local told = string.match(there[1] or '', '^%d+|%d+|%d+|%d+|')
  if told and (anew or there[1] ~= there[2]) and there[1] ~= held then
    write(math.max(version + 1, now), there[1])
  end
elseif name == 'standing' and has_head then
  local there = redis.call('HMGET', head, 'enforcement', 'wrong', 'proven')
  local revision, standing = string.match(there[1] or '', '^(%d+)|([01]|%l*)$')
  revision = tonumber(revision or '0')
  local theirs = (standing or '') .. '|' .. (there[2] or '0') .. '|' .. (there[3] or '')
  if revision > version or standing and revision == version and there[3] then
    if theirs ~= held then write(math.max(version + 1, revision), theirs) end
  elseif version > 0 then
    -- The head is a new one, or older.
    write(version, held)
  end
end

if kept ~= '' and known > version then write(known, kept) end
if known ~= version then return {'changed', text(version), held, text(now)} end
if value then write(math.max(version + 1, now), value) end
return {'ok', text(version), held, text(now)}
