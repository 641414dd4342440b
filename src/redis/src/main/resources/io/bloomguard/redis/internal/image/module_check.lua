-- Checks hashes in the filter of the module beside an image, and reads the image's ends. After
-- module.lua. Writes nothing.
-- KEYS: image, its filter. ARGV: byte of the image's last word; packed hashes.
-- Answers ok; first and last word, epoch digest and beat; a 0 or 1 for each hash; or lost.
if redis.call('TYPE', KEYS[1]).ok ~= 'string' or not module_holds(KEYS[1]) then return {'lost'} end
local items = {}
for i = 1, #ARGV[2] / 8 do items[i] = string.sub(ARGV[2], 8 * i - 7, 8 * i) end
local found = ''
if #items > 0 then found = table.concat(redis.call('BF.MEXISTS', KEYS[2], unpack(items))) end
local image = KEYS[1]
local ends = word(image, SEAL_AT) .. word(image, ARGV[1]) .. word(image, EPOCH_AT)
  .. word(image, BEAT_AT)
return {'ok', ends, found}
