import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const site = `
IncludeTasks("tasks/docs.tac", "docs")
Task "build" { description = "Builds it", entry = function() print("build") end }
Task "publish" {
  depends_on = { "build", "docs:pages" },
  entry = function(given)
    return { published = Human.approve("Publish " .. given.title .. "?"), pages = state.pages }
  end,
}`;
const docs = `
Task "index" { entry = function() print("index") end }
Task "pages" { depends_on = "index", entry = function() print("pages") state.pages = 2 end }`;

let folder: CliFolder;

beforeAll(async () => {
  folder = cliFolder();
  folder.write('site.tac', site);
  folder.write('tasks/docs.tac', docs);
  folder.write('circle.tac', 'Task "a" { depends_on = "a", entry = function() end }\nfunction main() end');
  await folder.runHere(['server', 'start']);
});
afterAll(() => folder?.close());

describe('a task', () => {
  const publish = ['run', 'site.tac', 'publish', '--id', 'published', '--param', 'title=Help', '--json'];

  it('is run with those that it depends on, and goes on where it has stopped', async () => {
    const waiting = await folder.runHere(publish);
    expect({ code: waiting.code, stderr: waiting.stderr }).toMatchObject({ code: 3 });
    const ended = await folder.runHere([...publish, '--respond', 'true']);
    expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 0 });
    expect(ended.json()).toMatchObject({
      output: { published: true, pages: 2 },
      printed: ['build', 'index', 'pages'],
    });
    const log = (await folder.runHere(['log', 'published', '--json'])).json();
    expect(log['execution_log']).toMatchObject([
      { position: '0', type: 'step', name: 'build', status: 'completed' },
      { position: '1', type: 'step', name: 'docs:index' },
      { position: '2', type: 'step', name: 'docs:pages' },
      { position: '3.0', type: 'hitl_approval' },
      { position: '3', type: 'step', name: 'publish', result: { published: true, pages: 2 } },
    ]);
  });

  it('is another start than that of another task', async () => {
    const other = await folder.runHere([
      'run',
      'site.tac',
      'build',
      '--id',
      'published',
      '--param',
      'title=Help',
    ]);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('There is a run published already, with another task');
  });

  it('can be started for a worker elsewhere', async () => {
    const started = await folder.runHere(['start', 'site.tac', 'docs:pages', '--id', 'started', '--json']);
    expect(started.code, started.stderr).toBe(0);
    const ended = await folder.runHere(['resume', 'started', '--json']);
    expect(ended.json()).toMatchObject({ status: 'completed', printed: ['index', 'pages'] });
  });

  it.each([
    [
      ['site.tac'],
      'several tasks, and no main procedure: say which task to run; there are: docs, docs:index, docs:pages, build, publish',
    ],
    [['site.tac', 'nope'], 'site.tac has no task "nope"; there are: docs, docs:index'],
    [['site.tac', 'docs'], 'the task docs has no entry; there are: docs:index, docs:pages'],
    [['circle.tac'], 'tasks depend on each other: a -> a'],
  ])('of %j is refused with nothing started', async (args, message) => {
    const ended = await folder.runHere(['run', ...args, '--id', 'refused']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(message);
    expect((await folder.runHere(['status', 'refused'])).code).toBe(2);
  });
});

it('validate tells which there are', async () => {
  const { describe: described, valid } = (await folder.runHere(['validate', 'site.tac', '--json'])).json();
  expect(valid).toBe(true);
  expect(described).toMatchObject({
    tasks: [
      { name: 'docs', description: null, depends_on: [] },
      { name: 'docs:index', description: null, depends_on: [] },
      { name: 'docs:pages', description: null, depends_on: ['index'] },
      { name: 'build', description: 'Builds it', depends_on: [] },
      { name: 'publish', description: null, depends_on: ['build', 'docs:pages'] },
    ],
  });
});
