-- Tasks that tasks.tac includes.

Task "build" {
  description = "Builds the pages",
  entry = function()
    state.builds = (state.builds or 0) + 1
    state.pages = { "start", "end" }
  end,
}
