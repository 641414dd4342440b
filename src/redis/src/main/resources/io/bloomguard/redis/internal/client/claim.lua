
-- Opens the claim under which an add may be repeated. A hash has for each claim the digest of all
-- its keys, and two bytes for each key that was added here under it: twice its index, and one more
-- if it was new. A sorted set has the claims by the end of their time, and the field bytes of the
-- hash their memory.
-- Returns nil without a name; else refusal (claimed if the claim stands for other keys, crowded if
-- there is no room), or keep(fresh), which puts the first answers in place of those in fresh, and
-- keeps the others, and unknown, how many those are.
local function open_claim(claims, ends, now_ms, name, digest, indexes, ttl, most)
  if name == '' then return nil end
  -- What one claim takes besides its answers; no index, for a key that another slot has answered.
  local overhead, elsewhere = 160, 65535
  local function index_at(at) return string.byte(indexes, at) * 256 + string.byte(indexes, at + 1) end
  local function drop(over)
    local held = redis.call('HGET', claims, over)
    if held then redis.call('HINCRBY', claims, 'bytes', 0 - overhead - #held) end
    redis.call('HDEL', claims, over)
    redis.call('ZREM', ends, over)
  end

  -- One was lost without the other.
  if math.max(0, redis.call('HLEN', claims) - 1) ~= redis.call('ZCARD', ends) then
    redis.call('UNLINK', claims, ends)
  end
  local moment = string.format('%.0f', now_ms)
  for _, over in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', '(' .. moment, 'LIMIT', 0, 16)) do
    drop(over)
  end
  local stays = redis.call('ZSCORE', ends, name)
  if stays and tonumber(stays) < now_ms then drop(name) end

  local held = redis.call('HGET', claims, name)
  if held and string.sub(held, 1, 16) ~= digest then return {refusal = 'claimed'} end
  local known, unknown = {}, 0
  for at = 17, held and #held or 0, 2 do
    local answer = string.byte(held, at) * 256 + string.byte(held, at + 1)
    known[math.floor(answer / 2)] = answer % 2 == 1 and '1' or '0'
  end
  for at = 1, #indexes, 2 do
    local index = index_at(at)
    if index ~= elsewhere and not known[index] then unknown = unknown + 1 end
  end
  local more = 2 * unknown + (held and 0 or overhead + 16)
  if unknown > 0 and tonumber(redis.call('HGET', claims, 'bytes') or '0') + more > tonumber(most) then
    return {refusal = 'crowded'}
  end

  local function keep(fresh)
    local answers = {}
    for at = 1, #indexes, 2 do
      local index, key = index_at(at), (at + 1) / 2
      if known[index] then
        fresh[key] = known[index]
      elseif index ~= elsewhere then
        answers[#answers + 1] = struct.pack('>I2', 2 * index + (fresh[key] == '1' and 1 or 0))
      end
    end
    if #answers == 0 then return end
    redis.call('HSET', claims, name, (held or digest) .. table.concat(answers))
    redis.call('HINCRBY', claims, 'bytes', more)
    if not held then redis.call('ZADD', ends, string.format('%.0f', now_ms + ttl), name) end
    -- No claim ends later.
    redis.call('PEXPIRE', claims, ttl)
    redis.call('PEXPIRE', ends, ttl)
  end
  return {keep = keep, unknown = unknown}
end

