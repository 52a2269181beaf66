-- What people say to agents, over executions too; an answer that is broken off; a conversation that is summed up; tools that are allowed together.
note = Tool {
  description = "Takes a note",
  input = { n = field.integer { required = true } },
  function(args) return "note " .. args.n .. (" word"):rep(100) end,
}
notes = Toolset "notes" { tools = { note }, approval = { remember = "tool" } }
reader = Agent {
  model = "openai/gpt-4o-mini",
  system_prompt = "Read",
  tools = { notes },
  message_history = { compact = { over = 600, keep = 150 } },
}
writer = Agent { model = "openai/gpt-4o-mini", system_prompt = "Write" }

Procedure {
  function()
    local read = reader("take six notes").output
    local written = writer("hang, please").output
    for i = 1, 3 do writer("Round " .. i) end
    local ok = Human.approve("Done?")
    return { read = read, written = written, more = writer("What else?").output, said = #writer.history, ok = ok }
  end,
}
