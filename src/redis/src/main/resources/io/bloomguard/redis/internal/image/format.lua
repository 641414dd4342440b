-- The stored form of a partition, as ImageFormat has it: its version; words of an image's header as
-- BITFIELD names them, and bytes of it. The beginning of every script that names one of them.
local FORMAT = '2'
local ADDED_KEYS, SET_BITS, EPOCH, BEAT = '#6', '#7', '#8', '#9'
local SEAL_AT, EPOCH_AT, BEAT_AT, FRAME_BYTES = 0, 64, 72, 80

-- The word of an image that begins at a byte.
local function word(image, at) return redis.call('GETRANGE', image, at, at + 7) end

