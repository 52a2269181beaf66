-- A trip that is cancelled while a person is asked, beside a branch that is at work.
Procedure {
  cancel_timeout = "2m",
  function()
    defer("tidy up", function() File.write("end.txt", "tidy") end)
    Parallel {
      function()
        Saga("trip", function(saga)
          for _, what in ipairs { "flight", "hotel", "car" } do
            saga.add_compensation("cancel " .. what, function()
              File.write(what .. ".txt", "cancelled")
              Sleep(0.05)
              File.write("last.txt", what)
            end)
            File.write(what .. ".txt", "booked")
          end
          Human.approve("Pay?")
        end)
      end,
      function() for i = 1, 1000 do Sleep(0.2) end end,
    }
  end,
}
