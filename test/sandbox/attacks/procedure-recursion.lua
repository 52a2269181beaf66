again = Procedure "again" {input = {}, function() return again({}) end}
main = Procedure "main" {function() return again({}) end}
