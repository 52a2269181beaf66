while true do checkpoint() end
