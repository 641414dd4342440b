
-- The image that a check reads. After head.lua, before check.lua.
-- Answers none if the subject has no filter; lost or damaged.
if kind_of(image) == 'none' then
  if doubtful or ends() then return {'lost'} end
  return {'none'}
end
if not is_whole() then return {'damaged'} end
local certain = not doubtful and now >= incomplete()
