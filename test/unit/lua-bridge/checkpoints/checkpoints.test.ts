import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { outputOf, runFake, runStart } from '../../../support/fake-host.js';

describe('checkpoints and steps', () => {
  it.each<[string, string, JsonValue]>([
    [
      'checkpoint gives what its function returns',
      'return {checkpoint(function() return 1, 2 end), Step.checkpoint(function() return {a = 1} end)}',
      [1, { a: 1 }],
    ],
    ['checkpoint without one gives nothing', 'return select("#", checkpoint())', 0],
    [
      'step gives all that its function returns, as it is',
      'local f = step("s", function() return print end) return {f == print, select("#", step("s", function() return 1, nil, 3 end))}',
      [true, 3],
    ],
    [
      'positions can be asked for',
      'Sleep(1) checkpoint(function() return "a" end) return {Checkpoint.next_position(), Checkpoint.exists(1), Checkpoint.exists(2), Checkpoint.get(1), Checkpoint.get("0") == nil}',
      [2, true, false, 'a', true],
    ],
    [
      'positions in a frame are its own',
      'return step("s", function() checkpoint(function() return "in" end) return Checkpoint.get(0) end)',
      'in',
    ],
  ])('%s', (_what, source, expected) => expect(outputOf(source)).toEqual(expected));

  it('are recorded when they end, with line and time', () => {
    const { program } = runFake('step("outer", function()\n  Sleep(1)\n  checkpoint()\nend)\nSleep(2)');
    expect(
      program.log.entries.map(({ position, type, name, source, at, durationMs }) => [
        position,
        type,
        name,
        source?.line,
        at - runStart,
        durationMs,
      ]),
    ).toEqual([
      ['0.0', 'sleep', 'sleep 1s', 2, 1_000, 1_000],
      ['0.1', 'explicit_checkpoint', 'checkpoint', 3, 1_000, 0],
      ['0', 'step', 'outer', 1, 1_000, 1_000],
      ['1', 'sleep', 'sleep 2s', 5, 2_000, 1_000],
    ]);
  });

  it('say what each was given, and what it came to', () => {
    const source = `m = Model "m" { type = "mock", value = 1 }
      t = Tool { name = "t", input = { n = "number" }, function(args) return args.n end }
      helper = Procedure { input = { n = "number" }, function(input) return { twice = input.n * 2 } end }
      main = Procedure { function()
        m({ text = "x" }) t({ n = 2 }) helper({ n = 3 }) Procedure.run("other.tac", { n = 4 })
        Human.approve { message = "Go?", context = { a = 1 } } Human.input("Which?")
      end }`;
    const { program } = runFake(source);
    expect(program.log.entries.map(({ type, input }) => [type, input])).toEqual([
      ['model_predict', { text: 'x' }],
      ['tool_call', { n: 2 }],
      ['procedure_call', { n: 3 }],
      ['procedure_call', { file: 'other.tac', input: { n: 4 } }],
      ['hitl_approval', { message: 'Go?', context: { a: 1 }, options: [] }],
      ['hitl_input', expect.objectContaining({ message: 'Which?' })],
    ]);
    const results = program.log.entries.map(({ outcome }) => (outcome.ok ? outcome.value : null));
    expect(results.slice(1, 4)).toEqual([2, { twice: 6 }, expect.anything()]);
  });

  it('count when they fail', () => {
    const { program } = runFake(
      'pcall(step, "s", function() error("no", 0) end) pcall(checkpoint, print) Sleep(1)',
    );
    expect(program.log.entries.map(({ position, outcome }) => [position, outcome])).toEqual([
      ['0', { ok: false, code: 'lua_error', message: 'no' }],
      ['1', { ok: true, value: null }],
      ['2', { ok: true, value: null }],
    ]);
  });

  it.each([
    ['checkpoint(5)', 'function expected'],
    ['Step.checkpoint("x")', 'function expected'],
    ['step(function() end)', 'the name of the step expected'],
    ['step("s")', 'function expected'],
    ['step()', 'the name of the step expected'],
  ])('%s is an error', (call, message) => expect(() => outputOf(call)).toThrow(message));

  it('have names of a length that people can read', () => {
    const { program } = runFake('step(("n"):rep(100000), function() end)');
    expect(program.log.entries[0]?.name).toBe(`${'n'.repeat(99)}…`);
  });
});

describe('Sleep', () => {
  it.each([
    ['Sleep(5)', 5_000],
    ['Sleep("5m")', 300_000],
    ['Sleep("1.5s")', 1_500],
    ['Sleep("250ms")', 250],
    ['Sleep("2w")', 1_209_600_000],
    ['Sleep(0)', 0],
    ['Sleep(0.0001)', 1],
  ])('%s waits', (call, ms) => {
    const waits: number[] = [];
    runFake(call, { perform: (effect) => (effect.kind === 'sleep' && waits.push(effect.ms), null) });
    expect(waits).toEqual([ms]);
  });

  it.each([
    'Sleep(-1)',
    'Sleep(1e15)',
    'Sleep("x")',
    'Sleep()',
    'Sleep({})',
    'Sleep(0/0)',
    'Sleep("-5s")',
    'Sleep("5 years")',
  ])('%s is refused', (call) => {
    expect(() => outputOf(call)).toThrow(/Sleep must be seconds|not a number/);
  });
});

describe('Retry', () => {
  const flaky =
    'local n = 0 local function flaky() n = n + 1 if n < 3 then error("no " .. n, 0) end return "yes", n end ';

  it('calls again, waiting longer each time', () => {
    const { ended, performed, program } = runFake(`${flaky} return {Retry.with_backoff(flaky)}`);
    expect(ended).toMatchObject({ output: ['yes', 3] });
    expect(performed).toEqual(['sleep 0', 'sleep 1']);
    expect(program.log.entries.map(({ input }) => input)).toEqual([{ seconds: 1 }, { seconds: 2 }]);
  });

  it('of what gives nothing gives nil', () =>
    expect(
      outputOf(
        'return {tostring(Retry.with_backoff(function() end)), (Retry.with_backoff(function() return false end))}',
      ),
    ).toEqual(['nil', false]));

  it('gives up after as many attempts as told, and tells of each', () => {
    const source = `${flaky} local told = {}
      local ok, message = pcall(Retry.with_backoff, flaky, {max_attempts = 2, initial_delay = 5, on_error = function(e) told[#told + 1] = e end})
      return {ok, message, told}`;
    expect(outputOf(source)).toEqual([
      false,
      'Retry failed after 2 attempts: no 2',
      [{ attempt: 1, max_attempts: 2, error: 'no 1', delay: 5 }],
    ]);
  });

  it('waits no longer than told', () => {
    const source =
      'pcall(Retry.with_backoff, function() error("no") end, {max_attempts = 5, initial_delay = 10, backoff_factor = 10, max_delay = 30})';
    expect(
      runFake(source).program.log.entries.map(({ input }) => (input as { seconds: number }).seconds),
    ).toEqual([10, 30, 30, 30]);
  });

  it.each([
    ['Retry.with_backoff(5)', 'function expected'],
    ['Retry.with_backoff(function() error("no") end, {initial_delay = -1})', 'Retry delay must be seconds'],
    ['Retry.with_backoff(function() error("no") end, {max_attempts = 0})', 'Retry failed after 1 attempts'],
  ])('%s is an error', (call, message) => expect(() => outputOf(call)).toThrow(message));
});

describe('what a procedure prints and logs', () => {
  it('is numbered by its place in one list', () => {
    const { program } = runFake(
      'print("a", 1, nil, true, {} ~= nil) Log.info("b", {n = 1}) Log.warn("c") Log.warning("d") Log.debug(5) Log.error("e") print()',
    );
    expect(program.shown).toEqual([
      { kind: 'print', text: 'a\t1\tnil\ttrue\ttrue' },
      { kind: 'log', level: 'info', message: 'b', context: { n: 1 } },
      { kind: 'log', level: 'warning', message: 'c', context: null },
      { kind: 'log', level: 'warning', message: 'd', context: null },
      { kind: 'log', level: 'debug', message: '5', context: null },
      { kind: 'log', level: 'error', message: 'e', context: null },
      { kind: 'print', text: '' },
    ]);
  });

  it('comes again in the same order when the run is replayed, so that a number stands for one line', () => {
    const source = 'print("before") Sleep(1) print("between") Sleep(1) print("after")';
    const first = runFake(source).program;
    const again = runFake(source, { carried: first.log.entries.slice(0, 1) }).program;
    expect(again.shown).toEqual(first.shown);
  });

  it('shows what is no UTF-8, and what tostring makes of a table', () => {
    const { program } = runFake(
      'print("\\xff") print(setmetatable({}, {__tostring = function() return "shown" end}))',
    );
    expect(program.shown).toEqual([
      { kind: 'print', text: '\ufffd' },
      { kind: 'print', text: 'shown' },
    ]);
  });

  it('refuses context that is no JSON', () => {
    expect(() => outputOf('Log.info("x", {f = print})')).toThrow('f is a function');
  });
});

describe('Json', () => {
  it.each<[string, JsonValue]>([
    ['Json.encode({a = 1})', '{"a": 1}'],
    ['Json.encode({1, "two", true})', '[1, "two", true]'],
    ['Json.encode({})', '{}'],
    ['Json.encode({a = {b = {}}})', '{"a": {"b": {}}}'],
    ['Json.encode("é\\n")', '"é\\n"'],
    ['Json.encode(nil)', 'null'],
    [
      'Json.encode{5, 5.0, -0.0, 1e15, 1e16, 2.5e-5, 0.0001, 1/3, 2^53}',
      '[5, 5.0, -0.0, 1000000000000000.0, 1e+16, 2.5e-05, 0.0001, 0.3333333333333333, 9007199254740992.0]',
    ],
    ['Json.encode(Json.decode("{\\"a\\": [1.0, 1e2, -0, -0.0, 7]}"))', '{"a": [1.0, 100.0, 0, -0.0, 7]}'],
    ['tostring(Json.decode("[5.0, \\"1.0\\"]")[1])', '5.0'],
    ['Json.decode("{\\"a\\": [1, 2.5, null]}").a[2]', 2.5],
    ['Json.decode("{\\"id\\": 9007199254740993}").id', '9007199254740993'],
    ['"/orders/" .. Json.decode("[9007199254740992]")[1]', '/orders/9007199254740992'],
    [
      'Json.encode(Json.decode("[1, 9007199254740991, 9007199254740993.0, 1e20]"))',
      '[1, 9007199254740991, 9007199254740992.0, 1e+20]',
    ],
    ['Json.decode("\\xef\\xbb\\xbf{\\"a\\": 1}").a', 1],
    ['math.type(Json.decode("5"))', 'integer'],
    ['math.type(Json.decode("5.0"))', 'float'],
    ['Json.decode("null") == nil', true],
    ['Json.decode("{\\"__proto__\\": 1}").__proto__', 1],
  ])('%s', (expression, expected) => expect(outputOf(`return ${expression}`)).toEqual(expected));

  it.each([
    ['Json.decode("{")', 'Json.decode: this is no JSON: "{"'],
    ['Json.decode("")', 'Json.decode: this is no JSON'],
    ['Json.decode("{} trailing")', 'Json.decode: this is no JSON'],
    ['Json.decode({})', 'text expected'],
    ['Json.decode("\\xff")', 'text expected'],
    ['Json.encode()', 'value expected'],
    ['Json.encode({f = print})', 'f is a function'],
  ])('%s is an error that can be caught', (call, message) => {
    expect(() => outputOf(call)).toThrow(message);
    expect(outputOf(`return (pcall(function() ${call} end))`)).toBe(false);
  });
});

it('Json.decode of runs that began on an older engine rounds as it did', () => {
  const decoded = (engine: number, text: string): unknown =>
    runFake(`return (pcall(Json.decode, ${text})) and tostring(Json.decode(${text}))`, { engine }).ended;
  expect(decoded(8, '"9007199254740993"')).toMatchObject({ output: '9007199254740992.0' });
  expect(decoded(9, '"9007199254740993"')).toMatchObject({ output: '9007199254740993' });
  expect(decoded(8, String.raw`"\xef\xbb\xbf1"`)).toMatchObject({ output: false });
});

describe('File', () => {
  it('reads, writes and looks', () => {
    const { ended, performed } = runFake(
      'return {File.read("a"), File.write("b", "text"), File.exists("c"), File.size("d")}',
    );
    expect(ended).toMatchObject({ output: ['content of a', true, true, true] });
    expect(performed).toEqual(['file 0', 'file 1', 'file 2', 'file 3']);
  });

  it.each([
    ['File.read()', 'a file name expected'],
    ['File.read({})', 'a file name expected'],
    ['File.write("x", {})', 'UTF-8 text expected'],
    ['File.write("x", "\\xff")', 'UTF-8 text expected'],
  ])('%s is an error', (call, message) => expect(() => outputOf(call)).toThrow(message));
});
