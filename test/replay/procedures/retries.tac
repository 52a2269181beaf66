-- Files that are missing are looked for again and again, in branches, until one of them is there.
Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local tries = 0
    local function wait_for(path, attempts)
      return Retry.with_backoff(function()
        tries = tries + 1
        return File.read(path)
      end, { max_attempts = attempts, initial_delay = 0.1, on_error = function(failed) Log.warn("again", { n = failed.attempt }) end })
    end
    local never = pcall(wait_for, "retries/never.txt", 3)
    local branches = Parallel{
      function() return wait_for("retries/late.txt", 8) end,
      function() return (pcall(wait_for, "retries/gone.txt", 4)) end,
      function() Sleep(0.5) File.write("retries/late.txt", "here") return "written" end,
      function()
        return Retry.with_backoff(function()
          local answer = http_client.get(input.endpoint .. "/missing")
          if state.asked == nil then state.asked = true error("status " .. answer.status) end
          return answer.status
        end, { initial_delay = 0.2 })
      end,
      function() return Human.approve("Is there a file?") end,
    }
    return { never = never, branches = branches, tries = tries }
  end,
}
