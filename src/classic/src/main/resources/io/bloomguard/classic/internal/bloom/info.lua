-- Reads the dimensions of a filter. After look.lua.
-- Answers ok, capacity, bytes, number of filters and number of items inserted; or missing.
if kind == 'none' then return {'missing'} end
local info, fields = redis.call('BF.INFO', KEYS[1]), {}
for i = 1, #info, 2 do
  local name = info[i]
  fields[type(name) == 'table' and name.ok or name] = info[i + 1]
end
return {'ok', fields['Capacity'], fields['Size'], fields['Number of filters'],
  fields['Number of items inserted']}
