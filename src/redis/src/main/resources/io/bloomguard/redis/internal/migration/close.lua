-- Lets no copy of a scheme take a lease from here on, once the next one was built after the mark.
-- KEYS: head; the next scheme's head. ARGV: the scheme and the next one.
-- Answers ok and the name of the closing; moved; unsettled if the next one is in doubt for a while;
-- or incomplete.
local head = redis.pcall('HMGET', KEYS[1], 'hashing', 'marked', 'marked-for')
local next = redis.pcall('HMGET', KEYS[2], 'serving', 'epoch', 'rebuild')
if head.err or not head[1] then return {'incomplete'} end
if string.match(head[1], '^[^<>]*') == ARGV[2] then return {'moved'} end
local marked, closing = head[2] or '', head[3] or ''
if head[1] ~= ARGV[1] .. '>' .. ARGV[2] or next.err or not next[1]
  or closing ~= string.match(next[1], '%d+$') .. '@' .. marked then
  return {'incomplete'}
end
if not next[2] then return {next[3] and 'incomplete' or 'unsettled'} end
redis.call('HSET', KEYS[1], 'closing', closing)
return {'ok', closing}
