import { doing, type Fault } from './fault.js';

export const files: Fault[] = [
  {
    name: 'a module that is not there',
    source: 'local m = require("helprs")\nfunction main() return {x = m.x} end',
    files: { 'helpers.tac': 'return {x = 1}' },
    expected: ['1 module_not_found'],
  },
  {
    name: 'a module in other case',
    source: 'local m = require("Helpers")\nfunction main() return {x = m.x} end',
    files: { 'helpers.tac': 'return {x = 1}' },
    expected: ['1 wrong_case'],
  },
  {
    name: 'a module by a computed name',
    source: doing('local name = "a"\nreturn {m = require("lib." .. name)}'),
    expected: ['3 computed_name'],
  },
  {
    name: 'modules that require each other',
    source: 'local a = require("a")\nfunction main() return {x = a.x} end',
    files: {
      'a.tac': 'local b = require("b")\nreturn {x = b.x}',
      'b.tac': '\nlocal a = require("a")\nreturn {x = a.x}',
    },
    expected: ['1 cyclic_require', '2 cyclic_require'],
  },
  {
    name: 'a procedure that is not there',
    source: doing('return Procedure.run("child.tac", {})'),
    expected: ['2 procedure_not_found'],
  },
  {
    name: 'a procedure in other case',
    source: doing('return Procedure.run("child.tac", {})'),
    files: { 'Child.tac': 'function main() return {} end' },
    expected: ['2 wrong_case'],
  },
  {
    name: 'a procedure by a computed name',
    source: doing('local name = "x"\nreturn Procedure.run(name .. ".tac", {})'),
    expected: ['3 computed_name'],
  },
  {
    name: 'a mistake in a module',
    source: 'local m = require("m")\nfunction main() return {x = m.x} end',
    files: { 'm.tac': 'local m = {}\nm.x = unknwn\nreturn m' },
    expected: ['2 unknown_name'],
  },
];
