import { doing, type Fault } from './fault.js';

export const syntax: Fault[] = [
  { name: 'an empty file', source: '', expected: ['1 empty_file'] },
  { name: 'nothing but comments', source: '-- to do\n--[[ and\nmore ]]', expected: ['1 empty_file'] },
  {
    name: 'an unknown attribute',
    source: doing('local x <static> = 1\nreturn {x = x}'),
    expected: ['2 syntax_error'],
  },
  {
    name: 'an attribute close',
    source: doing('local x <close> = nil\nreturn {x = x}'),
    expected: ['2 syntax_error'],
  },
  { name: '!=', source: doing('local x = 1\nif x != 2 then return {} end'), expected: ['3 syntax_error'] },
  { name: '+=', source: doing('local x = 1\nx += 1\nreturn {x = x}'), expected: ['3 syntax_error'] },
  { name: '..=', source: doing('local s = ""\ns ..= "a"\nreturn {s = s}'), expected: ['3 syntax_error'] },
  { name: '++', source: doing('local x = 1\nx++\nreturn {x = x}'), expected: ['3 syntax_error'] },
  {
    name: 'continue',
    source: doing('for i = 1, 3 do\n  if i == 2 then continue end\n  print(i)\nend'),
    expected: ['3 syntax_error'],
  },
  {
    name: '&&',
    source: doing('local a, b = 1, 2\nif a && b then return {} end'),
    expected: ['3 syntax_error'],
  },
  {
    name: '= as a condition',
    source: doing('local x = 1\nif x = 2 then return {} end'),
    expected: ['3 syntax_error'],
  },
  { name: 'a comment of C', source: '// hello\nfunction main() return {} end', expected: ['1 syntax_error'] },
  {
    name: 'elif',
    source: doing('local x = 1\nif x == 1 then\n  return {}\nelif x == 2 then\n  return {}\nend'),
    expected: ['5 syntax_error'],
  },
  {
    name: 'else if',
    source: doing(
      '  local x = 1\n  if x == 1 then\n    print(1)\n  else if x == 2 then\n    print(2)\n  end',
    ),
    expected: ['5 syntax_error'],
  },
  {
    name: 'an arrow function',
    source: doing('local f = (x) => x\nreturn {f = f}'),
    expected: ['2 syntax_error'],
  },
  { name: 'JSON in a table', source: doing('return {\n  "a": 1\n}'), expected: ['3 syntax_error'] },
  {
    name: 'a function without end',
    source: 'function helper()\n  return 1\n\nfunction main()\n  return {x = helper()}\nend',
    expected: ['1 syntax_error'],
  },
  {
    name: 'an if without end',
    source: 'function main()\n  if true then\n    print(1)\n  return {}\nend',
    expected: ['2 syntax_error'],
  },
  {
    name: 'a loop without end',
    source: 'function main()\n  for i = 1, 3 do\n    print(i)\nend',
    expected: ['2 syntax_error'],
  },
  { name: 'an end too many', source: 'function main()\n  return {}\nend\nend', expected: ['4 syntax_error'] },
  {
    name: 'a table without }',
    source: 'Agent "a" {\n  model = "openai/gpt-5-mini",\n\nfunction main() return {} end',
    expected: ['1 syntax_error'],
  },
  {
    name: 'a missing comma',
    source: 'a = Agent {\n  model = "m"\n  system_prompt = "s",\n}',
    expected: ['3 syntax_error'],
  },
  {
    name: 'a missing then',
    source: doing('local x = 1\nif x == 1\n  print(x)\nend'),
    expected: ['4 syntax_error'],
  },
  { name: 'a missing do', source: doing('while true\n  print(1)\nend'), expected: ['3 syntax_error'] },
  { name: 'an open text', source: doing('print("hello)\nreturn {}'), expected: ['2 syntax_error'] },
  { name: 'an open long text', source: doing('local s = [[hello\nreturn {}'), expected: ['2 syntax_error'] },
  { name: 'code after return', source: doing('return {}\nprint(1)'), expected: ['3 syntax_error'] },
  { name: 'break outside of a loop', source: doing('break'), expected: ['2 syntax_error'] },
  { name: 'goto without its label', source: doing('goto done'), expected: ['2 syntax_error'] },
  { name: 'an unknown escape', source: doing('print("\\d+")'), expected: ['2 syntax_error'] },
  {
    name: 'a mistake in a module',
    source: 'local m = require("m")\nfunction main() return {x = m.x} end',
    files: { 'm.tac': 'return {\n  x != 1\n}' },
    expected: ['2 syntax_error'],
  },
];
