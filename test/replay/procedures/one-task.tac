-- Tasks, of which one is started with the one that it depends on.
local function sleeps(name)
  return function()
    for i = 1, 3 do Sleep(0.01) end
    return name
  end
end

Task "first" { entry = sleeps("first") }
Task "second" { depends_on = "first", entry = sleeps("second") }
