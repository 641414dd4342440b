-- Whether every process that may add knows the salts of images. After writers.lua.
-- KEYS: the list of writers. Answers ok, and 1 if that is so, else 0.
local time = redis.call('TIME')
return {'ok', writers_are_of_this_version(KEYS[1], time[1] * 1000000 + time[2]) and 1 or 0}
