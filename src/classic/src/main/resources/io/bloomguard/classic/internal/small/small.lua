-- The beginning of every script of small images. Milliseconds fit a Lua number exactly.
local micros
do
  local time = redis.call('TIME')
  micros = time[1] * 1000000 + time[2]
end
local now = math.floor(micros / 1000)
local function text(number) return string.format('%.0f', number) end
local function kind_of(key) return redis.call('TYPE', key).ok end
local function may_be(key, kind) return kind_of(key) == kind or kind_of(key) == 'none' end
-- The fields of a hash; nil if it is none of ours, every one of which has a format.
local function head_at(key)
  local head, fields = {}, redis.call('HGETALL', key)
  for i = 1, #fields, 2 do head[fields[i]] = fields[i + 1] end
  return (#fields == 0 or head.format) and head or nil
end

