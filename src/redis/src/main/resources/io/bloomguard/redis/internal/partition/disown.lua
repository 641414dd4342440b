-- Removes an image that was published after the present head was made: that head was put back, and
-- adds go to other images from here on.
-- KEYS: head, those of the image. ARGV: its generation.
-- Answers ok, or kept if the head knows that generation, or there is no head.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HEXISTS', KEYS[1], 'format') == 0 then
  return {'kept'}
end
if tonumber(redis.call('HGET', KEYS[1], 'last') or '0') >= tonumber(ARGV[1]) then return {'kept'} end
for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
return {'ok'}
