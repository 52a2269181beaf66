import { doing, type Fault } from './fault.js';

/** A procedure with these schemas: they start in line 2, and its function after them. */
function procedure(schemas: string, body: string): string {
  return `Procedure {\n${schemas},\nfunction(input)\n${body}\nend }`;
}

export const schemas: Fault[] = [
  {
    name: 'an unknown type',
    source: procedure('input = { n = {type = "numbr"} }', 'return {n = input.n}'),
    expected: ['2 unknown_field_type'],
  },
  {
    name: 'an unknown type by its name alone',
    source: procedure('input = { n = "date" }', 'return {n = input.n}'),
    expected: ['2 unknown_field_type'],
  },
  {
    name: 'an unknown type of a tool',
    source:
      't = Tool { input = {\n a = {type = "file"} }, function(args) return args.a end }\nfunction main() return {x = t({a = 1})} end',
    expected: ['2 unknown_field_type'],
  },
  {
    name: 'a default of another type',
    source: procedure('input = { n = field.number{default = "1"} }', 'return {n = input.n}'),
    expected: ['2 wrong_default'],
  },
  {
    name: 'a default with a fraction',
    source: procedure('input = { n = field.integer{default = 1.5} }', 'return {n = input.n}'),
    expected: ['2 wrong_default'],
  },
  {
    name: 'a default outside of the enum',
    source: procedure(
      'state = { s = {type = "string", enum = {"a", "b"},\ndefault = "c"} }',
      'return {s = state.s}',
    ),
    expected: ['3 wrong_default'],
  },
  {
    name: 'an enum of another type',
    source: procedure('input = { s = {type = "string", enum = {"a",\n2}} }', 'return {s = input.s}'),
    expected: ['3 wrong_enum'],
  },
  {
    name: 'an empty enum',
    source: procedure('input = { s = {type = "string", enum = {}} }', 'return {s = input.s}'),
    expected: ['2 wrong_enum'],
  },
  {
    name: 'required, with a default',
    source: procedure('input = { s = field.string{required = true, default = "a"} }', 'return {s = input.s}'),
    expected: ['2 wrong_default'],
  },
  {
    name: 'an output that no return gives',
    source: procedure(
      'output = { a = field.string{required = true}, b = field.string{} }',
      'return {b = "x"}',
    ),
    expected: ['4 output_incomplete'],
  },
  {
    name: 'one return of two without an output',
    source: procedure(
      'output = { a = field.string{required = true} }',
      'if input.x then return {a = "1"} end\nreturn {}',
    ),
    expected: ['5 output_incomplete'],
  },
  {
    name: 'a return of a branch without an output',
    source: procedure(
      'output = { a = field.string{required = true} }',
      'if not input.x then\nreturn {}\nend\nreturn {a = "1"}',
    ),
    expected: ['5 output_incomplete'],
  },
  {
    name: 'an output of another type',
    source: procedure('output = { a = field.number{} }', 'return {\na = "one"}'),
    expected: ['5 output_incomplete'],
  },
  {
    name: 'an output that nobody declared',
    source: procedure('output = { a = field.string{} }', 'return {a = "x",\nextra = 1}'),
    expected: ['5 output_unknown'],
  },
  {
    name: 'an output in the old dialect',
    source:
      'main = procedure("main", {\n  output = { ok = {type = "boolean", required = true} }\n}, function()\n  return { okay = true }\nend)',
    expected: ['4 output_incomplete', '4 output_unknown'],
  },
  {
    name: 'an output of a script',
    source:
      'input { n = field.number{default = 1} }\noutput { twice = field.number{required = true} }\nreturn { double = 2 * input.n }',
    expected: ['3 output_incomplete', '3 output_unknown'],
  },
  {
    name: 'a state of another type',
    source: procedure('state = { n = field.number{default = 0} }', 'state.n = "one"\nreturn {n = state.n}'),
    expected: ['4 wrong_state_type'],
  },
  {
    name: 'State.set of another type',
    source: procedure(
      'state = { done = field.boolean{} }',
      'State.set("done", "yes")\nreturn {d = state.done}',
    ),
    expected: ['4 wrong_state_type'],
  },
  {
    name: 'a misspelt state',
    source: procedure(
      'state = { attempts = field.number{default = 0} }',
      'state.atempts = 1\nreturn {n = state.attempts}',
    ),
    expected: ['4 unknown_state'],
  },
  {
    name: 'an assignment to the input',
    source: procedure('input = { n = field.number{} }', 'input.n = 1\nreturn {n = input.n}'),
    expected: ['4 read_only'],
  },
  {
    name: 'assignments to constants',
    source: doing(
      'local a, b <const> = 1, "local x <const>"\nlocal <const> c, d = 1, 2\na = b\nb = a\nlocal function f() c, a = 2, d end\nfunction d() end\nreturn {f = f, a = a}',
    ),
    expected: ['3 unused_local', '5 read_only', '6 read_only', '7 read_only'],
  },
  {
    name: 'an assignment to a library',
    source: 'string.rep = function(s) return s end\nfunction main() return {} end',
    expected: ['1 read_only'],
  },
  {
    name: 'a function added to a library of the language',
    source: 'function Json.count(t) return #t end\nfunction main() return {} end',
    expected: ['1 read_only'],
  },
  {
    name: 'a misspelt input',
    source: procedure('input = { topic = field.string{} }', 'return {t = input.topc}'),
    expected: ['4 unknown_input'],
  },
  {
    name: 'a misspelt input of a parameter with another name',
    source:
      'Procedure { input = { topic = field.string{} },\nfunction(given)\nreturn {t = given.topik} end }',
    expected: ['3 unknown_input'],
  },
  {
    name: 'a procedure that returns nothing',
    source: procedure('output = { a = field.string{required = true} }', 'print("x")'),
    expected: ['3 output_incomplete'],
  },
  {
    name: 'a return of nil',
    source: procedure('output = { a = field.string{required = true} }', 'return nil'),
    expected: ['4 output_incomplete'],
  },
  {
    name: 'a text where fields are declared',
    source: procedure('output = { a = field.string{} }', 'return "x"'),
    expected: ['4 output_incomplete'],
  },
];
