-- Stands as it is told, and has the state that it is told.
local unserved = Model { type = "onnx", path = "none.onnx", task_queue = "nobody" }

local function stand(status)
  if status == "WAITING_FOR_HUMAN" then
    Human.approve("Go on?")
  elseif status == "WAITING_FOR_TIME" then
    Sleep(10 * 24 * 3600)
  else
    unserved({})
  end
end

local function take(told)
  if told.state then
    for key in pairs(state) do
      state[key] = nil
    end
  end
  for key, value in pairs(told.state or told.set or {}) do
    state[key] = value
  end
end

Procedure {
  input = { status = field.string { required = true }, state = field.object { required = true } },
  function(input)
    local status = input.status
    take({ state = input.state })
    while status ~= "COMPLETED" and status ~= "FAILED" do
      local ok, problem = pcall(Parallel, {
        function()
          stand(status)
        end,
        function()
          local told
          repeat
            told = Event.wait("told")
            take(told)
          until told.status
          status = told.status
          error("told")
        end,
      })
      if not tostring(problem):find("told") then
        error(problem)
      end
    end
    if status == "FAILED" then
      error("as it was told")
    end
  end,
}
