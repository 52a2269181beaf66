-- Asks people for what a release needs: a choice, several things in one form, a file; and calls for help.
-- Every question waits as long as it takes, and an answer that doesn't fit is refused before it gets here.

Hitl("go", {type = "approval", message = "Release it?", timeout = "7d", default = false})

Procedure {
  output = {
    released = field.boolean{required = true},
    regions = field.array{required = true},
    version = field.string{required = true},
    notes = field.string{},
  },
  function()
    local regions = Human.select{
      message = "Where does it go?",
      mode = "multiple",
      max = 2,
      options = {
        {value = "eu", label = "Europe"},
        {value = "us", label = "United States"},
        {value = "ap", label = "Asia Pacific", description = "at night only"},
      },
    }
    local form = Human.multiple{
      {id = "version", label = "Version", type = "input", message = "Which version?",
       response_schema = {type = "string", pattern = [[^\d+\.\d+\.\d+$]]}},
      {id = "channel", label = "Channel", type = "select", message = "For whom?", options = {"beta", "stable"}},
      {id = "notes", label = "Notes", type = "input", message = "Anything to add?", required = false},
    }
    local plan = Human.upload{message = "The plan, please", accept = ".pdf,.md", max_size = "5MB"}
    Human.notify("The plan is " .. plan.name .. ", " .. plan.size .. " bytes")

    if form.channel == "stable" and #regions > 1 then
      Human.escalate{message = "Two regions at once need a second pair of eyes", severity = "warning"}
    end

    local released = Human.approve{config_key = "go", context = {version = form.version, regions = regions}}
    return {released = released, regions = regions, version = form.version, notes = form.notes}
  end,
}
