notes = Session.slice("notes")

change = Tool {
  transaction = true,
  input = { fails = field.boolean{} },
  function(args)
    state.count = state.count + 1
    notes.append(state.count)
    File.append("log.txt", "in")
    File.write("made.txt", "made")
    File.delete("gone.txt")
    File.write("log.txt", "again")
    if args.fails then error("no luck") end
    return state.count
  end,
}

Procedure {
  function()
    state.count = 0
    File.write("log.txt", "before ")
    File.append("log.txt", "all")
    File.write("gone.txt", "there")
    pcall(change, { fails = true })
    local first = { File.read("log.txt"), File.exists("made.txt"), File.read("gone.txt"), state.count, #notes.all() }
    File.append("log.txt", "!")
    local between = File.read("log.txt")
    local done = change({ fails = false })
    return { first = first, between = between, done = done, last = { File.read("log.txt"), File.list(), state.count, #notes.all() } }
  end,
}
