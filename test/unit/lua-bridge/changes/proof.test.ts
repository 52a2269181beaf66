import { describe } from 'vitest';
import { holds, modelAnswer, procedure as P, wait } from './proof.fixture.js';

const base = 'model = "openai/gpt-5-mini", system_prompt = "You answer."';
const agent = (properties: string, message = 'input.q'): string =>
  P(
    `    local a = W(${message}).output\n    File.write("a.txt", a)\n    checkpoint()\n${wait}`,
    `W = Agent { ${properties} }`,
    'input = { q = field.string { default = "Why?" } },',
  );
const withTool = (description: string, tools = 'find'): string =>
  P(
    `    local a = W("Why?").output\n    checkpoint()\n    File.write("a", a)\n${wait}`,
    `find = Tool { description = "${description}", input = { q = field.string {} }, function(args) return 1 end } W = Agent { ${base}, tools = { ${tools} } }`,
  );
const withOutput = (description: string): string =>
  agent(`${base}, output = { a = field.string { ${description} } }`).replace('.output\n', '.text\n');

describe('what configures a turn of an agent that has ended is listed, and what it was told is compared', () => {
  holds([
    ['nothing changed', agent(base), agent(base), 'fits'],
    [
      'the system prompt',
      agent(base),
      agent(base.replace('You answer', 'Answer briefly')),
      'fits, changed 0.0: system_prompt',
    ],
    ['the message', agent(base), agent(base, '"Please: " .. input.q'), 'diverges at 0, line 5'],
    [
      'what it is told besides',
      agent(base, '{ message = "m", topic = "a" }'),
      agent(base, '{ message = "m", topic = "b" }'),
      'diverges at 0, line 5',
    ],
    [
      'a temperature of the call',
      agent(base, '{ message = "m" }'),
      agent(base, '{ message = "m", temperature = 0 }'),
      'fits, changed 0.0: temperature',
    ],
    ['the model', agent(base), agent(base.replace('5-mini', '5')), 'fits, changed 0.0: model'],
    ['the temperature', agent(base), agent(`${base}, temperature = 0`), 'fits, changed 0.0: temperature'],
    ['max_tokens', agent(base), agent(`${base}, max_tokens = 500`), 'fits, changed 0.0: max_tokens'],
    ['timeout', agent(base), agent(`${base}, request_timeout = "77s"`), 'fits, changed 0.0: timeout'],
    ['retries', agent(base), agent(`${base}, retry = { attempts = 5 }`), 'fits, changed 0.0: retry'],
    [
      'the description of a tool',
      withTool('Finds a thign'),
      withTool('Finds a thing'),
      'fits, changed 0.0: tools',
    ],
    ['another tool', withTool('Finds'), withTool('Finds', 'find, "done"'), 'fits, changed 0.0: tools'],
    [
      'the description of an output',
      withOutput(''),
      withOutput('description = "The answer"'),
      'fits, changed 0.0: output',
      { perform: () => modelAnswer('{"a":"x"}') },
    ],
  ]);
});

const answered = (extra: string): string =>
  P(
    `    checkpoint()\n    local a = Human.approve { message = "First?"${extra} }\n    File.write("a", "b")\n${wait}`,
  );
const people = [true];

describe('what configures a request that was answered is listed, and what was asked is compared', () => {
  holds([
    [
      'timeout',
      answered(', timeout = "1h"'),
      answered(', timeout = "2h"'),
      'fits, changed 1: timeout',
      { people },
    ],
    [
      'approvers',
      answered(''),
      answered(', approvers = { "mia" }'),
      'fits, changed 1: approvers',
      { people },
    ],
    ['label', answered(''), answered(', label = "First"'), 'fits, changed 1: hints', { people }],
    [
      'metadata',
      answered(''),
      answered(', metadata = { team = "x" }'),
      'fits, changed 1: metadata',
      { people },
    ],
    ['channels', answered(''), answered(', channels = {}'), 'fits, changed 1: channels', { people }],
    ['default', answered(''), answered(', default = true'), 'fits, changed 1: default', { people }],
    [
      'remind_every',
      answered(', timeout = "3d"'),
      answered(', timeout = "3d", remind_every = "1d"'),
      'fits, changed 1: channels',
      { people },
    ],
    [
      'escalate_to',
      answered(', timeout = "3d"'),
      answered(', timeout = "3d", escalate_to = "cfo"'),
      'fits, changed 1: policy',
      { people },
    ],
    [
      'the message',
      answered(''),
      answered('').replace('First?', 'Second?'),
      'diverges at 1, line 6',
      { people },
    ],
    [
      'the labels of options',
      answered('').replace('Human.approve {', 'Human.select { options = { { value = "a", label = "A" } },'),
      answered('').replace(
        'Human.approve {',
        'Human.select { options = { { value = "a", label = "The a" } },',
      ),
      'fits, changed 1: labels',
      { people: ['a'] },
    ],
    [
      'the options',
      answered('').replace('Human.approve {', 'Human.select { options = { { value = "a", label = "A" } },'),
      answered('').replace('Human.approve {', 'Human.select { options = { { value = "b", label = "A" } },'),
      'diverges at 1, line 6',
      { people: ['a'] },
    ],
  ]);
});

const asked = (body: string, top = ''): string => P(`${body}\n    checkpoint()\n    Sleep(1)\n${wait}`, top);
const toolT = (input: string): string =>
  `t = Tool { input = { ${input} }, function(args) return args.n end }`;
const subS = (input: string): string =>
  `Procedure "s" { input = { ${input} }, function(i) return { n = i.n } end }`;

describe('arguments are compared as they were written, before defaults are filled in', () => {
  const n = 'n = field.integer { default = 1 }';
  const loud = ', loud = field.boolean { default = false }';
  holds([
    [
      'another default of a tool',
      asked('    t{}', toolT(n)),
      asked('    t{}', toolT(n.replace('1', '2'))),
      'fits',
    ],
    ['one more argument of a tool', asked('    t{}', toolT(n)), asked('    t{}', toolT(n + loud)), 'fits'],
    [
      'another argument',
      asked('    t{n = 1}', toolT(n)),
      asked('    t{n = 2}', toolT(n)),
      'diverges at 0, line 5',
    ],
    [
      'one more field of a procedure',
      asked('    Procedure("s")({ n = 1 })', subS(n)),
      asked('    Procedure("s")({ n = 1 })', subS(n + loud)),
      'fits',
    ],
    [
      'another field of a procedure',
      asked('    Procedure("s")({ n = 1 })', subS(n)),
      asked('    Procedure("s")({ n = 2 })', subS(n)),
      'diverges at 0, line 5',
    ],
  ]);
});

describe('all else that flows is compared', () => {
  const random = (before: string): string =>
    asked(`    ${before}local x = math.random(1000)\n    File.write("a", tostring(x))`);
  const event = (timeout: string): string => asked(`    Event.wait("e", { timeout = "${timeout}" })`);
  const model = (value: string): string => `m = Model { type = "mock", value = ${value} }`;
  const branches = (more: string): string => asked(`    Parallel { function() Sleep(1) end${more} }`);
  const request = (headers: string): string => asked(`    http_client.get("http://a.example/x"${headers})`);
  holds([
    ['a sleep that is over', asked('    Sleep(1)'), asked('    Sleep(2)'), 'diverges at 0, line 5'],
    ['the same time, written in another way', asked('    Sleep(60)'), asked('    Sleep("1m")'), 'fits'],
    ['the timeout of an event', event('1s'), event('9s'), 'fits, changed 0: timeout'],
    [
      'the name of a step',
      asked('    step("a", function() File.write("a", "b") end)'),
      asked('    step("b", function() File.write("a", "b") end)'),
      'diverges at 0, line 5',
    ],
    [
      'a content',
      asked('    File.write("a", "b")'),
      asked('    File.write("a", "c")'),
      'diverges at 0, line 5',
    ],
    [
      'the value of a mock model',
      asked('    local a = m("x").output', model('1')),
      asked('    local a = m("x").output', model('2')),
      'fits, changed 0: value',
    ],
    [
      'the input of a model',
      asked('    local a = m("x").output', model('1')),
      asked('    local a = m("y").output', model('1')),
      'diverges at 0, line 5',
    ],
    [
      'one more branch of a parallel that has ended',
      branches(''),
      branches(', function() Sleep(2) end'),
      'diverges at 0, line 5',
    ],
    [
      'a random number before a recorded argument',
      random(''),
      random('local y = math.random(2) '),
      'diverges at 0, line 6',
    ],
    ['a header', request(''), request(', { headers = { A = "b" } }'), 'diverges at 0, line 5'],
  ]);
});

const two = (a: string, b: string, more = ''): string =>
  P(
    `    local ${a} = checkpoint(function() return "${a}" end)\n    local ${b} = checkpoint(function() return "${b}"${more} end)\n    File.write("x", "y")\n${wait}`,
  );

describe('checkpoints without a name that have changed places are told apart by their functions', () => {
  const pair = (one: string, other: string): string =>
    P(
      `    local a = checkpoint(function() return ${one} end)\n    local b = checkpoint(function() return ${other} end)\n    checkpoint()\n${wait}`,
    );
  const loop = (body: string): string =>
    P(`    for i = 1, 3 do checkpoint(function() return ${body} end) end\n${wait}`);
  const upvalue = (more: string): string =>
    P(
      `    ${more}local a, b = 1, 2\n    local x = checkpoint(function() return a end)\n    local y = checkpoint(function() return b end)\n${wait}`,
    );
  const sameLine = (one: string, other: string): string =>
    P(
      `    local a, b = checkpoint(function() return "${one}" end), checkpoint(function() return "${other}" end)\n${wait}`,
    );
  holds([
    ['nothing has', two('address', 'iban'), two('address', 'iban'), 'fits'],
    ['both have', two('address', 'iban'), two('iban', 'address'), 'diverges at 0, line 5'],
    [
      'both have, on one line',
      sameLine('address', 'iban'),
      sameLine('iban', 'address'),
      'diverges at 0, line 5',
    ],
    ['the first is gone, and one stands behind', pair('1', '2'), pair('2', '3'), 'diverges at 0, line 5'],
    ['the second was edited', two('address', 'iban'), two('address', 'iban', ' .. "!"'), 'fits'],
    ['both were edited', pair('1', '2'), pair('10', '20'), 'fits'],
    ['that of a loop was edited', loop('i'), loop('i + 1'), 'fits'],
    ['another local stands before both', upvalue(''), upvalue('local before = 0 '), 'fits'],
    [
      'what it asks for is another thing',
      pair('File.read("a")', '2'),
      pair('File.read("b")', '2'),
      'diverges at 0.0, line 5',
    ],
  ]);
});
