-- Reads for a replica, in one step, the serving image and the adds since its last poll. Writes
-- nothing. After format.lua.
-- KEYS: head, journal, the image that the caller copies.
-- ARGV: id of the image; byte of its last word; the journal entry to begin after, empty for only
-- the journal's end; the most entries.
-- Answers ok; the head's epoch, which every loss changes; first and last word, epoch digest and
-- beat of the image; the head's beat; of the journal its last id, its first id (empty for no
-- entry), the number of entries it ever had (-1 if Redis does not tell), and the last entry in this
-- answer; then its entries' hashes.
-- Or lost, changed, foreign: there is no such head, image or journal, or not any more.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {'lost'} end
local names = {'serving', 'hashing', 'epoch', 'beat', 'journal-last'}
local head, values = {}, redis.call('HMGET', KEYS[1], unpack(names))
for i, name in ipairs(names) do head[name] = values[i] or '' end
if head.serving ~= ARGV[1] then return {'changed'} end
if redis.call('TYPE', KEYS[3]).ok ~= 'string' then return {'lost'} end

local last, first, ever = '0-0', '', 0
local kind = redis.call('TYPE', KEYS[2]).ok
if kind == 'stream' then
  ever = -1
  local info = redis.call('XINFO', 'STREAM', KEYS[2])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then last = info[i + 1]
    elseif info[i] == 'entries-added' then ever = info[i + 1]
    elseif info[i] == 'first-entry' and info[i + 1] then first = info[i + 1][1] end
  end
elseif kind ~= 'none' then
  return {'lost'}
end
-- The journal is not the head's, or is missing: it may lack adds.
if head['journal-last'] ~= '' and head['journal-last'] ~= last then return {'lost'} end

-- During a migration the head names two hash schemes, its own first.
local own = string.match(head.hashing, '^[^<>]*')
local image = KEYS[3]
local answer = {'ok', head.epoch, word(image, SEAL_AT), word(image, ARGV[2]),
  word(image, EPOCH_AT), word(image, BEAT_AT), head.beat, last, first, ever, last}
if ARGV[3] ~= '' and first ~= '' then
  local entries = redis.call('XRANGE', KEYS[2], '(' .. ARGV[3], '+', 'COUNT', ARGV[4])
  for _, entry in ipairs(entries) do
    local fields = {}
    for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
    -- Hashes under another secret mean nothing here.
    if fields.s ~= own or not fields.h then return {'foreign'} end
    answer[#answer + 1] = fields.h
    answer[11] = entry[1]
  end
end
return answer
