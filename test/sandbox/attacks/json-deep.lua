return Json.decode(string.rep("[", 100000) .. string.rep("]", 100000))
