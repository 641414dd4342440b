-- Moves the position of a registered copy forward; its lease stays as it is.
-- KEYS: head. ARGV: the server that the caller speaks to; the highest beat that it has seen there; the
-- epoch and the image that the copy follows; the copy's id; the journal entry that it has last; the
-- number of this poll.
-- Answers ok, or changed: a poll finds out what.
local server, beat, epoch, image, id, position, poll = unpack(ARGV)
local name = 'copy:' .. id
local head = redis.pcall('HMGET', KEYS[1], 'server', 'beat', 'epoch', 'serving', 'closing',
  'journal-last', name)
if head.err or head[1] ~= server or tonumber(head[2] or 0) < tonumber(beat) or head[3] ~= epoch
  or head[4] ~= image or head[5] or not head[7] then
  return {'changed'}
end
-- Nobody has an entry that is not written: it was lost since, or another user has sent the message.
local function is_after(one, other)
  local ms, number = string.match(one, '^(%d+)-(%d+)$')
  local other_ms, other_number = string.match(other, '^(%d+)-(%d+)$')
  ms, other_ms = tonumber(ms), tonumber(other_ms)
  return ms > other_ms or ms == other_ms and tonumber(number) > tonumber(other_number)
end
if is_after(position, head[6] or '0-0') then return {'changed'} end
local of, lease, before = string.match(head[7], '^([^|]*)|[^|]*|([^|]*)|([^|]*)$')
if of ~= image or tonumber(before) >= tonumber(poll) then return {'changed'} end
redis.call('HSET', KEYS[1], name, image .. '|' .. position .. '|' .. lease .. '|' .. poll)
return {'ok'}
