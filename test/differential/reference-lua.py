"""Runs Lua programs in lupa, set up as the reference sets it up: one JSON line in for each, one out.
`{"timed": program}` gives the time that it takes instead, `{"own": program}` runs it with the libraries of Lua itself.

A program gets a Lua state of its own. `math` is Python's, and `string.len`, `sub` and `reverse` count UTF-8
characters. What a program prints comes back with how it ended.
"""

import contextlib
import json
import math
import resource
import sys
import time

# A program that makes a text of gigabytes is refused as Lua refuses it, in place of a process that the system kills.
MOST_BYTES = 2 << 30
# macOS has no such limit.
with contextlib.suppress(OSError, ValueError):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))

sys.path.insert(0, sys.argv[1])
from lupa import LuaError, LuaRuntime  # noqa: E402

MATH = {
    "abs": abs,
    "max": max,
    "min": min,
    "pow": pow,
    "huge": math.inf,
    "pi": math.pi,
    "deg": math.degrees,
    "rad": math.radians,
}
for function in ["acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "exp", "floor", "fmod"]:
    MATH[function] = getattr(math, function)
for function in ["log", "log10", "modf", "sin", "sinh", "sqrt", "tan", "tanh"]:
    MATH[function] = getattr(math, function)

PRINT = r"""
local printed = ...
local pack, concat = table.pack, table.concat
function print(...)
  local words = pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  printed[#printed + 1] = concat(words, "\t")
end
"""

SET_UP = r"""
local math = ...
io, os, dofile, loadfile, load = nil
package, require, python = nil
debug = { getinfo = debug.getinfo }
_G.math = math

local byLength, part, backwards = string.len, string.sub, string.reverse
local concat, find, gmatch, type = table.concat, string.find, string.gmatch, type

local function characters(text)
  local list = {}
  for character in gmatch(text, "[\0-\127\194-\244][\128-\191]*") do list[#list + 1] = character end
  return list
end

local function isWide(text)
  return type(text) == "string" and find(text, "[\128-\255]") ~= nil
end

function string.len(text)
  if isWide(text) then return #characters(text) end
  return byLength(text)
end

function string.sub(text, from, to)
  if not isWide(text) then return part(text, from, to) end
  local list = characters(text)
  to = to or #list
  if from < 0 then from = #list + 1 + from end
  if to < 0 then to = #list + 1 + to end
  return concat(list, "", from < 1 and 1 or from, to > #list and #list or to)
end

function string.reverse(text)
  if not isWide(text) then return backwards(text) end
  local list = characters(text)
  for i = 1, #list // 2 do list[i], list[#list + 1 - i] = list[#list + 1 - i], list[i] end
  return concat(list)
end
"""


def prepared(is_own=False):
    lua = LuaRuntime(unpack_returned_tuples=True)
    printed = lua.table()
    lua.execute(PRINT, printed)
    if is_own:
        return lua, printed
    library = lua.table()
    for name, value in MATH.items():
        library[name] = value
    lua.execute(SET_UP, library)
    return lua, printed


def run(source, is_own=False):
    lua, printed = prepared(is_own)
    error = None
    try:
        lua.execute(source, name="=main.tac")
    except LuaError as raised:
        error = str(raised).removeprefix("error loading code: ").split("\nstack traceback:")[0]
    except Exception as raised:  # a Python function of the reference failed
        error = "<python> " + type(raised).__name__
    return {"printed": list(printed.values()), "error": error}


def timed(source):
    """The milliseconds that it takes to make a state and load a program there, and then to run it."""
    start = time.perf_counter()
    lua, _ = prepared()
    program = lua.compile(source, name="=main.tac")
    loaded = time.perf_counter()
    program()
    return {"load": (loaded - start) * 1000, "run": (time.perf_counter() - loaded) * 1000}


for line in sys.stdin:
    asked = json.loads(line)
    if isinstance(asked, str):
        answer = run(asked)
    elif "own" in asked:
        answer = run(asked["own"], True)
    else:
        answer = timed(asked["timed"])
    print(json.dumps(answer), flush=True)
