-- Decisions before their request, by those who say so and by those who don't; a request that two must allow, and that is handed on; one that is taken back.
Procedure {
  function()
    Sleep(1)
    local first = Human.input("Said early?")
    local both = Human.approve{ message = "Both of you?", approvers = { "ann", "bob" }, quorum = 2 }
    local ok = pcall(Human.approve, { message = "Nobody decides", requester = "zoe", timeout = "1d" })
    local last = Human.approve{ message = "Said early, and one must look?", approvers = { "ann" } }
    return { first = first, both = both, ok = ok, last = last }
  end,
}
