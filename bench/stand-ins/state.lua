-- State, checkpoints and what is tried again.
local State = {
  get = function(key, default) if state[key] == nil then return default end return state[key] end,
  set = function(key, value) state[key] = value end,
  increment = function(key, by) state[key] = (tonumber(state[key]) or 0) + (by or 1) return state[key] end,
  append = function(key, value) state[key] = state[key] or {} table.insert(state[key], value) end,
  all = function() return state end,
}

local recorded
atBegin(function() state, recorded = {}, {} end)

local function checkpoint(run)
  if run == nil then error("nothing to record", 2) end
  local result = run()
  recorded[#recorded + 1] = { result = result }
  return result
end

local Step = { checkpoint = checkpoint }
local Checkpoint = {
  next_position = function() return #recorded end,
  exists = function(position) return recorded[position + 1] ~= nil end,
  get = function(position) local at = recorded[position + 1] return at and at.result end,
}

local Retry = { with_backoff = function(run, options)
  for attempt = 1, options.max_attempts do
    local ok, result = pcall(run)
    if ok then return result end
    if attempt == options.max_attempts then error("Retry failed after " .. attempt .. " attempts: " .. tostring(result)) end
    if options.on_error then options.on_error({ attempt = attempt, max_attempts = options.max_attempts }) end
  end
end }
