local function deeper() step("deeper", deeper) end
deeper()
