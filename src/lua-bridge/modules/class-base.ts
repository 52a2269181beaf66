/** A small class system: `class(base)` with `:new(config)`, which calls `init`; an object calls its class's `__call`. */
export const classBase = String.raw`
local function class(base)
  local made = {}
  for key, value in pairs(base or {}) do made[key] = value end
  made.__index = made
  function made:new(config)
    local object = setmetatable({}, self)
    if object.init then object:init(config or {}) end
    return object
  end
  return made
end

return class
`;
