local t = {}
t.t = t
error(t)
