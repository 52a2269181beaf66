import type { ValueKinds } from './signatures.js';

/** Numbers that stand in text count as numbers for Lua, and numbers as text. */
const [text, number] = ['text|number', 'number|text'] as const;

/** What single arguments of Lua's own library must be, by function. */
export const luaArgumentKinds: Readonly<Record<string, readonly ValueKinds[]>> = {
  ...{ ipairs: ['table|text'], pairs: ['table'], next: ['table'], setmetatable: ['table', 'table'] },
  ...{ 'string.upper': [text], 'string.lower': [text], 'string.len': [text], 'string.reverse': [text] },
  ...{ 'string.sub': [text, number, number], 'string.rep': [text, number, text] },
  ...{ 'string.byte': [text, number, number], 'string.format': [text] },
  ...{ 'string.find': [text, text, number], 'string.match': [text, text, number] },
  ...{ 'string.gmatch': [text, text], 'string.gsub': [text, text, 'text|number|table|function', number] },
  ...{
    'table.insert': ['table'],
    'table.remove': ['table', number],
    'table.unpack': ['table', number, number],
  },
  ...{ 'table.concat': ['table', text, number, number], 'table.sort': ['table', 'function'] },
  ...{ 'math.abs': [number], 'math.ceil': [number], 'math.floor': [number], 'math.sqrt': [number] },
  ...{ 'math.exp': [number], 'math.log': [number, number], 'math.pow': [number, number] },
  ...{ 'math.sin': [number], 'math.cos': [number], 'math.tan': [number], 'math.fmod': [number, number] },
  ...{ 'math.random': [number, number], 'math.max': [number, number], 'math.min': [number, number] },
  ...{ 'os.date': ['text|number|nil', number], 'os.time': ['table|nil'], 'os.difftime': [number, number] },
};

/** How many arguments a function of Lua's own library can't do without. */
export const luaNeededArguments: Readonly<Record<string, number>> = {
  ...{ ipairs: 1, pairs: 1, next: 1, setmetatable: 2, getmetatable: 1, pcall: 1, xpcall: 2, select: 1 },
  ...{ tostring: 1, tonumber: 1, type: 1, rawget: 2, rawset: 3, rawequal: 2, rawlen: 1 },
  ...{ 'string.upper': 1, 'string.lower': 1, 'string.len': 1, 'string.reverse': 1, 'string.sub': 2 },
  ...{ 'string.rep': 2, 'string.byte': 1, 'string.format': 1, 'string.find': 2, 'string.match': 2 },
  ...{ 'string.gmatch': 2, 'string.gsub': 3, 'table.insert': 2, 'table.remove': 1, 'table.unpack': 1 },
  ...{ 'table.concat': 1, 'table.sort': 1, 'math.abs': 1, 'math.ceil': 1, 'math.floor': 1, 'math.sqrt': 1 },
  ...{ 'math.exp': 1, 'math.log': 1, 'math.pow': 2, 'math.sin': 1, 'math.cos': 1, 'math.tan': 1 },
  ...{ 'math.fmod': 2, 'math.max': 1, 'math.min': 1, 'os.difftime': 2 },
};
