-- Ends the wait for a new generation, as an operator demands it: the content is believed as it is, once
-- every writer has added again. After partition.lua.
-- Answers ok, or headless, reread.
if head.rebuild == 'source' then
  redis.call('HDEL', KEYS[1], 'rebuild')
  redis.call('HINCRBY', KEYS[1], 'swaps', 1)
end
return {'ok'}
