-- Operations on files whose answers depend on those before them: each must be what it was, however often the row is done.
Procedure {
  output = {
    seen = field.array{required = true},
    files = field.object{required = true},
  },
  function()
    local seen = {}
    local function see(value)
      seen[#seen + 1] = value
    end

    -- What is written depends on what was read.
    for _ = 1, 2 do
      local count = File.exists("count.txt") and tonumber(File.read("count.txt")) or 0
      File.write("count.txt", tostring(count + 1))
    end

    -- Appends before and after the file begins anew, and is gone.
    File.append("notes.txt", "old")
    File.write("notes.txt", "w")
    File.append("notes.txt", "+a")
    see(File.size("notes.txt"))
    File.append("notes.txt", "+b")
    File.append("again.txt", "1")
    File.delete("again.txt")
    see(File.exists("again.txt"))
    File.append("again.txt", "2")
    see(File.read("again.txt"))

    -- Branches that append to one file.
    Parallel.map({ "x", "y" }, function(letter)
      File.append("letters.txt", letter)
      File.append("letters.txt", letter)
    end)
    see(File.size("letters.txt"))

    see(File.list("."))
    return {
      seen = seen,
      files = { count = File.read("count.txt"), notes = File.read("notes.txt"), again = File.read("again.txt") },
    }
  end,
}
