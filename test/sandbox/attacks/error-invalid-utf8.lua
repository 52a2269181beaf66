error("bad \255\254 text")
