-- Reads the status of running and finished builds, and the run that builds now.
-- KEYS: lock, board. Answers ok, the run that holds the lock, and the lines running, last and
-- success; empty for each that is missing.
local run = redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('GET', KEYS[1]) or ''
if redis.call('TYPE', KEYS[2]).ok ~= 'hash' then return {'ok', run, '', '', ''} end
local lines = redis.call('HMGET', KEYS[2], 'running', 'last', 'success')
return {'ok', run, lines[1] or '', lines[2] or '', lines[3] or ''}
