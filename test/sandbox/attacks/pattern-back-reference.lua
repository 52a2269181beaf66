return string.find(string.rep("a", 600), "(.-)%1(.-)%2(.-)%3b")
