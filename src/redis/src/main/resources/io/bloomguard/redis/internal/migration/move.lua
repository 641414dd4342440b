-- Replaces the previous hash scheme by the next one, in one step, and drops the former: a reader of
-- it finds nothing there.
-- KEYS: head, journal, writers; those of the next scheme; images of the previous one, if any.
-- ARGV: the caller's view of the head, empty if the previous scheme has no such partition; the next
-- scheme; the same with the mark of one that arrives; the name of the closing after which the caller
-- has waited for every lease. Answers ok, or reread, incomplete.
local function is_hash(key) return redis.call('TYPE', key).ok == 'hash' end
local head = {}
if is_hash(KEYS[1]) then
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do head[fields[i]] = fields[i + 1] end
end
if string.match(head.hashing or '', '^[^<>]*') == ARGV[2] then return {'ok'} end
if not is_hash(KEYS[4]) then return {'incomplete'} end
local next = redis.call('HMGET', KEYS[4], 'hashing', 'serving', 'last', 'swaps')
if next[1] ~= ARGV[3] or not next[2] then return {'incomplete'} end
if ARGV[1] ~= '' then
  if (head.serving or '') .. ',' .. (head.building or '') .. ',' .. (head.previous or '') .. ','
    .. (head.hashing or '') ~= ARGV[1] then return {'reread'} end
  -- Without it the next scheme may lack adds, and a copy of the previous one may still call absent
  -- what goes to the next one alone.
  if not head.closing or head.closing ~= ARGV[4] then return {'incomplete'} end
end
-- More swaps than the head before: if that is put back, it is older than what each process knows.
local function swaps(last, others) return tonumber(last or '0') + tonumber(others or '0') end
local more = swaps(head.last, head.swaps) + 1 - swaps(next[3] or '0', next[4] or '0')
if more > 0 then redis.call('HINCRBY', KEYS[4], 'swaps', more) end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
for i = 7, #KEYS do redis.call('UNLINK', KEYS[i]) end
for i = 1, 3 do
  if redis.call('EXISTS', KEYS[i + 3]) == 1 then redis.call('RENAME', KEYS[i + 3], KEYS[i]) end
end
-- Neither the filter's enforcement nor its feed depends on its hash scheme: those of version 0.9.
for _, name in ipairs({'feed', 'feed-told', 'enforcement'}) do
  if head[name] then redis.call('HSET', KEYS[1], name, head[name]) end
end
return {'ok'}
