-- Is cancelled before a worker has seen it.
Procedure { function() return Human.approve("Go?") end }
