-- Registers a copy of the serving image and reads what it lacks, in one step. After partition.lua
-- and writers.lua, and after the list of writers among the KEYS.
-- ARGV, from the fifth: the serving image's READY seal and the byte of its last word; the epoch under
-- which it is copied; the journal entry that the copy has last, empty for only the journal's end and
-- no registration; the copy's id; the milliseconds of its lease, 0 if it takes none; the number of
-- this poll; the most entries.
-- Answers ok; the beat; the number of registered copies; 1 if copies may hold leases, because every
-- writer waits for them; of the journal its last id, its first id (empty for no entry), the number of
-- entries it ever had (-1 if Redis does not tell), and the last entry in this answer; then its
-- entries' hashes.
-- Or lost, changed, foreign: there is no such image or journal, or not any more; headless, reread.
local seal, last_word, epoch, after, id, lease, poll, most = unpack(ARGV, 5)
if not head.serving or head.closing then return {'changed'} end
if head.epoch ~= epoch or not sealed(KEYS[3], seal, tonumber(last_word))
  or word(KEYS[3], EPOCH_AT) ~= digest(epoch) then
  return {'lost'}
end

local last, first, ever = '0-0', '', 0
local info = journal_info or redis.pcall('XINFO', 'STREAM', KEYS[2])
if not info.err then
  ever = -1
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then last = info[i + 1]
    elseif info[i] == 'entries-added' then ever = info[i + 1]
    elseif info[i] == 'first-entry' and info[i + 1] then first = info[i + 1][1] end
  end
end

-- During a migration the head names two hash schemes, its own first.
local own = string.match(head.hashing, '^[^<>]*')
local pages, read_to = {}, last
if after ~= '' and after ~= last and first ~= '' then
  local entries = redis.call('XRANGE', KEYS[2], '(' .. after, '+', 'COUNT', most)
  for _, entry in ipairs(entries) do
    local fields = {}
    for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
    -- Hashes under another secret mean nothing here.
    if fields.s ~= own or not fields.h then return {'foreign'} end
    pages[#pages + 1] = fields.h
    read_to = entry[1]
  end
end
-- Nothing follows, and the copy has another end: its entries were lost since, or another user of
-- Redis has sent the message of one. It is not registered for what is not written.
if after ~= '' and after ~= last and #pages == 0 then return {'lost'} end

local leases = writers_are_of_this_version(KEYS[6], now)
-- Without leases the copy stays on the register as it is: it learns of that by this answer alone.
if after ~= '' and (leases or lease == '0') then
  local name = 'copy:' .. id
  local before = tonumber(string.match(head[name] or '|||0', '[^|]*$'))
  -- A poll that a later one has overtaken changes nothing: the copy may hold a lease of that one.
  if before < tonumber(poll) then
    local entry = head.serving .. '|' .. after .. '|' .. lease .. '|' .. poll
    local more
    if lease == '0' then
      more = -redis.call('HDEL', KEYS[1], name)
      entry = nil
    else
      more = redis.call('HSET', KEYS[1], name, entry)
    end
    head[name] = entry
    if more ~= 0 then redis.call('HINCRBY', KEYS[1], 'copies', more) end
    -- An older head that lacks this copy is noticed when it is put back: its beat is another one.
    if more > 0 then advance(images_in_step()) end
  end
end
local _, count = copies()
local answer = {'ok', beat, count, leases and 1 or 0, last, first, ever, read_to}
for _, hashes in ipairs(pages) do answer[#answer + 1] = hashes end
return answer
