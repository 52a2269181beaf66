---@meta _
-- Lua's mathematics, with functions that the reference adds. Integers are exact to 2^53 - 1.

---@class mathlib
math = {}

---@type number
math.pi = 3.141592653589793

---@type number
math.huge = 1e308

---The largest integer: 2^53 - 1.
---@type integer
math.maxinteger = 9007199254740991

---The smallest integer: -(2^53 - 1).
---@type integer
math.mininteger = -9007199254740991

---@generic N: number
---@param x N
---@return N
function math.abs(x) end

---@param x number
---@return number radians
function math.acos(x) end

---@param x number
---@return number radians
function math.asin(x) end

---@param y number
---@param x? number
---@return number radians
function math.atan(y, x) end

---The angle of a point; the same as `math.atan(y, x)`.
---@param y number
---@param x number
---@return number radians
function math.atan2(y, x) end

---@param x number
---@return integer
function math.ceil(x) end

---@param radians number
---@return number
function math.cos(radians) end

---@param x number
---@return number
function math.cosh(x) end

---@param radians number
---@return number
function math.deg(radians) end

---@param x number
---@return number
function math.exp(x) end

---@param x number
---@return integer
function math.floor(x) end

---@param x number
---@param y number
---@return number
function math.fmod(x, y) end

---The fraction, in [0.5, 1), and the exponent of two that make `x`.
---@param x number
---@return number fraction
---@return integer exponent
function math.frexp(x) end

---`m` times two to the power of `e`.
---@param m number
---@param e integer
---@return number
function math.ldexp(m, e) end

---@param x number
---@param base? number
---@return number
function math.log(x, base) end

---@param x number
---@return number
function math.log10(x) end

---@generic N: number
---@param x N
---@param ... N
---@return N
function math.max(x, ...) end

---@generic N: number
---@param x N
---@param ... N
---@return N
function math.min(x, ...) end

---@param x number
---@return number whole
---@return number fraction
function math.modf(x) end

---@param x number
---@param y number
---@return number
function math.pow(x, y) end

---@param degrees number
---@return number
function math.rad(degrees) end

---Chance of the run's own, the same in a replay: without bounds a float from 0 to 1, else an integer within them.
---@param low? integer
---@param high? integer
---@return number
function math.random(low, high) end

---Begins another row of random numbers, of the run's own.
---@param seed? number
---@param more? integer
---@return number seed
---@return integer more
function math.randomseed(seed, more) end

---@param radians number
---@return number
function math.sin(radians) end

---@param x number
---@return number
function math.sinh(x) end

---@param x number
---@return number
function math.sqrt(x) end

---@param radians number
---@return number
function math.tan(radians) end

---@param x number
---@return number
function math.tanh(x) end

---@param x any
---@return integer?
function math.tointeger(x) end

---@param x any
---@return "integer"|"float"|nil
function math.type(x) end

---Whether one integer is below the other, both taken without a sign.
---@param m integer
---@param n integer
---@return boolean
function math.ult(m, n) end
