-- Whether every process that may add is of a version that waits for copies and knows the salts of
-- images. One of an earlier version takes part without the mark in its name, and may come to itself
-- after its entry has ended. Of the list of writers, at a moment in microseconds.
local SILENCE = 60 * 1000000
local function writers_are_of_this_version(list, moment)
  if redis.call('TYPE', list).ok ~= 'hash' then return true end
  for _, writer in ipairs(redis.call('HKEYS', list)) do
    if string.sub(writer, 1, 6) ~= 'waits:' then
      local ends = string.match(redis.call('HGET', list, writer), '^%d+|(%d+)|')
      if tonumber(ends or '0') + SILENCE > moment then return false end
    end
  end
  return true
end

