local function deeper() return checkpoint(deeper) end
return deeper()
