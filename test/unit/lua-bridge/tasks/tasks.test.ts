import { describe, expect, it } from 'vitest';
import { outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';

const building = `
done = {}
local function does(name) return function() done[#done + 1] = name return table.concat(done, " ") end end
Task "build" { entry = does("build"), description = "Builds it" }
Task "test" { entry = does("test"), depends_on = {"build", "lint"} }
Task "lint" { entry = does("lint"), depends_on = "build", deep = { entry = does("deep") } }
docs = Task { pages = Task { entry = does("pages"), depends_on = {"docs:index"} }, Task "index" { entry = does("index") } }
`;

function errorOf(source: string, options: FakeOptions = {}): unknown {
  const { ended, performed } = runFake(source, options);
  expect(performed).toEqual([]);
  return ended?.kind === 'failed' ? { code: ended.error.code, message: ended.error.message } : ended;
}

describe('a task', () => {
  it.each([
    ['build', 'build'],
    ['test', 'build lint test'],
    ['lint:deep', 'deep'],
    [':docs::pages', 'index pages'],
    ['index', 'index'],
  ])('%s is done after those that it depends on, each once', (task, done) =>
    expect(outputOf(building, { task })).toBe(done),
  );

  it('is a step of the log, with what it gave, and its effects are in it', () => {
    const source =
      'Task "ask" {entry = function(given) Sleep(1) return {n = given.n} end} Task "all" {depends_on = "ask", entry = function() return input.n end}';
    const { program, performed } = runFake(source, { task: 'all', input: { n: 4 } });
    expect(performed).toEqual(['sleep 0.0']);
    expect(
      program.log.entries.map(({ position, type, name, outcome }) => [position, type, name, outcome]),
    ).toEqual([
      ['0.0', 'sleep', 'sleep 1s', { ok: true, value: null }],
      ['0', 'step', 'ask', { ok: true, value: { n: 4 } }],
      ['1', 'step', 'all', { ok: true, value: 4 }],
    ]);
  });

  it('calls a procedure, or the one that it names, with the input of the run', () => {
    const source = `
      helper = Procedure { input = {n = field.integer{}}, output = {n = field.integer{}}, function(given) return {n = given.n + 1} end }
      Task "by_name" { entry = "helper" }
      Task "itself" { entry = helper }`;
    for (const task of ['by_name', 'itself']) {
      const { ended, program } = runFake(source, { task, input: { n: 1 } });
      expect(ended).toMatchObject({ output: { n: 2 } });
      expect(program.log.entries.map(({ position, name }) => [position, name])).toEqual([
        ['0.0', 'helper'],
        ['0', task],
      ]);
    }
  });

  it('shares its state with the others', () => {
    expect(
      outputOf(
        'Task "a" {entry = function() state.n = 1 end} Task "b" {depends_on = "a", entry = function() return state.n end}',
        { task: 'b' },
      ),
    ).toBe(1);
  });

  it('can be made to call a function with a table, later', () =>
    expect(
      outputOf(
        'greet = TaskFunction(function(args) return "hello " .. args.name end) Task "a" {entry = greet {name = "Ada"}}',
      ),
    ).toBe('hello Ada'));

  it('is looked up in no time, however many ways lead to a dependency', () => {
    const source = `
      count = 0
      local function step() count = count + 1 return count end
      for i = 1, 90 do Task("t" .. i) { entry = step, depends_on = i > 2 and {"t" .. i - 1, "t" .. i - 2} or {} } end`;
    expect(outputOf(source, { task: 't90' })).toBe(90);
  });

  it('that fails ends the run before those that need it', () => {
    const source =
      'Task "a" {entry = function() error("broken") end} Task "b" {depends_on = "a", entry = function() return 1 end}';
    const { ended, program } = runFake(source, { task: 'b' });
    expect(ended).toMatchObject({ error: { code: 'lua_error', message: 'main.tac:1: broken' } });
    expect(program.log.entries.map(({ name }) => name)).toEqual(['a']);
  });
});

describe('without a task', () => {
  const only = 'Task "only" {entry = function() return "only" end}';
  it.each([
    [
      'the one called run is done',
      `${building} Task "run" {entry = function() return "run" end} Procedure {function() return "main" end}`,
      'run',
    ],
    ['the main procedure is', `${building} Procedure {function() return "main" end}`, 'main'],
    ['a function main is', `${building} function main() return "plain" end`, 'plain'],
    ['the only task is', only, 'only'],
    [
      'a procedure with a name counts for nothing',
      `${only} helper = Procedure {function() return "helper" end}`,
      'only',
    ],
  ])('%s', (_what, source, output) => expect(outputOf(source)).toBe(output));

  it('one of several has to be named', () =>
    expect(errorOf(building)).toEqual({
      code: 'no_procedure',
      message:
        'main.tac has several tasks, and no main procedure: say which task to run; there are: build, test, lint, lint:deep, index, docs, docs:pages, docs:index',
    }));
});

describe('is refused before anything is done', () => {
  const entry = 'entry = function() Sleep(1) end';
  it.each([
    [
      'a task that is not there',
      'nope',
      `Task "a" {${entry}}`,
      'no_procedure',
      'main.tac has no task "nope"; there are: a',
    ],
    [
      'a task of a file without any',
      'run',
      'return 1',
      'no_procedure',
      'main.tac has no task "run"; it has none',
    ],
    [
      'a task that only holds others',
      'a',
      `Task "a" {b = Task {${entry}}}`,
      'no_procedure',
      'the task a has no entry; there are: a:b',
    ],
    [
      'one that needs such a task',
      'b',
      `Task "a" {} Task "b" {depends_on = "a", ${entry}}`,
      'no_procedure',
      'the task a has no entry',
    ],
    [
      'an unknown dependency',
      'a',
      `Task "a" {${entry}}\nTask "b" {depends_on = {"c"}, ${entry}}`,
      'source_invalid',
      "main.tac:2: the task b depends on c, which isn't there; there are: a, b",
    ],
    [
      'a circle',
      'c',
      `Task "a" {depends_on = "b", ${entry}} Task "b" {depends_on = "a", ${entry}} Task "c" {${entry}}`,
      'source_invalid',
      'main.tac:1: tasks depend on each other: a -> b -> a',
    ],
    [
      'an entry that names no procedure',
      'a',
      'Task "a" {entry = "helper"}',
      'source_invalid',
      "main.tac:1: the task a has as entry the procedure helper, which isn't there",
    ],
    [
      'an entry of another kind',
      'a',
      'Task "a" {entry = 5}',
      'source_invalid',
      'Task "a" must have as entry a function',
    ],
    [
      'a name that could be that of a task within another',
      'a',
      `Task "a:b" {${entry}}`,
      'source_invalid',
      'must have a name without ":"',
    ],
    [
      'two of one name',
      'a',
      `Task "a" {${entry}} Task "a" {${entry}}`,
      'source_invalid',
      'there are two tasks a',
    ],
    [
      'a table that holds itself',
      'a',
      `local t = {${entry}} t.t = t Task "a" (t)`,
      'source_invalid',
      'holds tasks more than 16 deep',
    ],
    [
      'more tasks than anybody writes',
      'a',
      `local t = Task {${entry}} for i = 1, 20 do t = Task {a = t, b = t} end whole = t`,
      'source_invalid',
      'has more than 1000 tasks',
    ],
    ['a TaskFunction of something else', 'a', 'TaskFunction("x")', 'lua_error', 'a function expected'],
    ['a task without a table', 'a', 'Task("a", 5)', 'lua_error', 'table expected'],
  ])('%s', (_what, task, source, code, message) =>
    expect(errorOf(source, { task })).toMatchObject({
      code,
      message: expect.stringContaining(message) as unknown,
    }),
  );
});

describe('IncludeTasks', () => {
  const files = {
    'tasks/docs.tac':
      'Task "build" {depends_on = "index", entry = function() return prefix .. "docs" end} index = Task {entry = function() end}',
    'tasks/all.tac': 'IncludeTasks("docs.tac", "docs")',
    'tasks/again.tac': 'IncludeTasks("again.tac")',
    'tasks/agents.tac': 'Agent {system_prompt = "x"}',
  };
  const prefix = 'prefix = "the "';

  it.each([
    ['IncludeTasks("tasks/docs.tac")', 'build'],
    ['IncludeTasks("./tasks/docs.tac", "docs")', 'docs:build'],
    ['IncludeTasks {path = "tasks/docs.tac", namespace = "docs"}', 'docs:build'],
    ['IncludeTasks "tasks/all.tac"', 'docs:build'],
  ])('%s has %s', (call, task) => {
    const { ended, program } = runFake(`${call} ${prefix}`, { files, task });
    expect(ended).toMatchObject({ output: 'the docs' });
    expect(program.log.entries.map(({ name }) => name)).toEqual([task.replace('build', 'index'), task]);
  });

  it.each([
    ['tasks/none.tac', 'source_not_found', 'tasks/none.tac is not among the files of the procedure'],
    ['tasks/again.tac', 'source_invalid', 'tasks/again.tac is included already'],
    ['tasks/agents.tac', 'source_invalid', 'tasks/agents.tac declares more than tasks'],
  ])('of %s is refused', (path, code, message) =>
    expect(errorOf(`IncludeTasks("${path}")`, { files })).toMatchObject({
      code,
      message: expect.stringContaining(message) as unknown,
    }),
  );
});
