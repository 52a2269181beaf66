import { doing, type Fault } from './fault.js';

export const names: Fault[] = [
  {
    name: 'a misspelt local',
    source: doing('local counter = 1\nprint(countr)\nreturn {c = counter}'),
    expected: ['3 unknown_name'],
  },
  { name: 'a misspelt library', source: doing('Humna.approve("Go?")'), expected: ['2 unknown_name'] },
  { name: 'a name of nobody', source: doing('return {x = banana}'), expected: ['2 unknown_name'] },
  {
    name: 'a misspelt function',
    source: 'local function helper() return 1 end\nfunction main() return {a = helper(), b = helpr()} end',
    expected: ['2 unknown_name'],
  },
  {
    name: 'a local out of its scope',
    source: doing('for i = 1, 2 do local last = i print(last) end\nreturn {x = last}'),
    expected: ['3 unknown_name'],
  },
  {
    name: 'a local function before it is there',
    source: 'function main() return {x = late()} end\nlocal function late() return 1 end',
    expected: ['1 unknown_name', '2 unused_local'],
  },
  { name: 'Human.aprove', source: doing('Human.aprove("Go?")'), expected: ['2 unknown_member'] },
  { name: 'Log.warning2', source: doing('Log.warning2("x")'), expected: ['2 unknown_member'] },
  { name: 'string.foo', source: doing('print(string.foo("x"))'), expected: ['2 unknown_member'] },
  {
    name: 'field.text',
    source: 'Procedure {\n  input = { a = field.text{} },\n  function(input) return {x = input.a} end }',
    expected: ['2 unknown_member'],
  },
  { name: 'State.put', source: doing('State.put("k", 1)'), expected: ['2 unknown_member'] },
  {
    name: 'a member that an agent lacks',
    source: 'a = Agent { system_prompt = "s" }\nfunction main()\n  a.trun("x")\n  return {t = a.output}\nend',
    expected: ['3 unknown_member'],
  },
  {
    name: 'a member that a tool lacks',
    source:
      't = Tool { description = "d", function() return 1 end }\nfunction main()\n  return {x = t(), y = t.was_called()}\nend',
    expected: ['3 unknown_member'],
  },
  { name: 'None', source: doing('local x = None\nreturn {x = x}'), expected: ['2 foreign_name'] },
  { name: 'True', source: doing('return {ok = True}'), expected: ['2 foreign_name'] },
  { name: 'len', source: doing('local t = {1}\nreturn {n = len(t)}'), expected: ['3 foreign_name'] },
  { name: 'python.eval', source: doing('return {x = python.eval("1")}'), expected: ['2 foreign_name'] },
  { name: 'Sys', source: doing('Sys.exec("ls")'), expected: ['2 foreign_name'] },
  { name: 'load', source: doing('return {x = load("return 1")()}'), expected: ['2 foreign_name'] },
  { name: 'io', source: doing('local f = io.open("x")\nreturn {f = f}'), expected: ['2 foreign_name'] },
  { name: 'dofile', source: 'dofile("x.lua")\nfunction main() return {} end', expected: ['1 foreign_name'] },
  { name: 'unpack', source: doing('print(unpack({1, 2}))'), expected: ['2 foreign_name'] },
  {
    name: 'tactus.done',
    source: 'done = tactus.done\nfunction main() return {d = done.called()} end',
    expected: ['1 foreign_name'],
  },
  { name: 'Human:approve', source: doing('return {ok = Human:approve("Go?")}'), expected: ['2 colon_call'] },
  { name: 'Log:info', source: doing('Log:info("x")'), expected: ['2 colon_call'] },
  {
    name: 'a local called state',
    source: doing('local state = {}\nstate.x = 1\nreturn {x = state.x}'),
    expected: ['2 overwritten_name'],
  },
  {
    name: 'an overwritten library',
    source: 'string = "x"\nfunction main() return {s = string} end',
    expected: ['1 overwritten_name'],
  },
  {
    name: 'names of declarations that are no variables',
    source:
      'Agent "writer" { system_prompt = "s" }\nModel "mood" { type = "mock", value = 1 }\nTool { name = "add", function() return 1 end }\nfunction main()\nprint(Agent("writer")("x"), Model("mood")(1), Tool("add")({}))\nreturn {a = writer("x"),\nm = mood(1),\nt = add({})}\nend',
    expected: ['7 unknown_name', '8 unknown_name'],
  },
  {
    name: 'a module that other versions have',
    source: 'local found = require("tactus.biblicus")\nfunction main() return {x = found} end',
    expected: ['1 missing_from_build'],
  },
  {
    name: 'a global nearly as a local',
    source: doing('local total = 0\nfor i = 1, 3 do totl = total + i end\nreturn {t = total}'),
    expected: ['3 accidental_global'],
  },
  {
    name: 'an error while the file loads',
    source: 'local limit = nil + 1\nfunction main() return {l = limit} end',
    expected: ['1 load_failed'],
  },
];
