-- Files that are missing: caught, in branches, and at last by nobody.
Procedure {
  function()
    local ok = pcall(File.read, "nowhere.txt")
    local found = File.exists("nowhere.txt")
    local results = Parallel{
      function() return (pcall(File.read, "nowhere/1.txt")) end,
      function() Sleep(0.01) return (pcall(File.size, "nowhere/2.txt")) end,
      function() return Human.approve("Is it there?") end,
      function() return File.write("somewhere.txt", "here") end,
    }
    File.read("nowhere/at-all.txt")
  end,
}
