local t = {}
t[-0.0] = "zero"
return {tostring(-0.0), t[0], tostring(0 * -1), 1 / (0 * -1) > 0}
