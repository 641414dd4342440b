-- Ends the wait for a new generation, as an operator demands it: the content is believed as it is, once
-- every writer has added again; or that of a head in place of a lost one, from which it begins again.
-- After partition.lua.
-- Answers ok, or headless, reread.
if head.rebuild == 'source' or (not head.serving and head.met) then
  redis.call('HDEL', KEYS[1], 'rebuild')
  redis.call('HINCRBY', KEYS[1], 'swaps', 1)
end
return {'ok'}
