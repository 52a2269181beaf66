-- Steps, stages, state and checkpoints of a run with search attributes, and a child run that has them too.
stages({ "draft", "review", "published" })

Procedure {
  function()
    Stage.set("draft")
    local total = 0
    for i = 1, 3 do
      total = total + step("add " .. i, function()
        state.count = (state.count or 0) + 1
        local rolled = checkpoint(function() return math.random(100) end)
        Sleep(0.01)
        return rolled * 0 + i
      end)
    end
    Stage.advance()
    Log.info("asks", { total = total })
    local ok = Human.approve("Is it good?")
    local child = Procedure.run("member.tac", { n = total, asks = true })
    File.write("marked.txt", tostring(total))
    Stage.advance()
    print("done", total)
    local now = checkpoint(function() return os.time() > 0 end)
    return { ok = ok, total = total, twice = child.twice, stage = Stage.current(), count = state.count, now = now }
  end,
}
