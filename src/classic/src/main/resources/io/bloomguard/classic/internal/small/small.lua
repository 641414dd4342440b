-- The beginning of every script of small images. Milliseconds fit a Lua number exactly.
local micros
do
  local time = redis.call('TIME')
  micros = time[1] * 1000000 + time[2]
end
local now = math.floor(micros / 1000)
local function text(number) return string.format('%.0f', number) end
local function kind_of(key) return redis.call('TYPE', key).ok end

