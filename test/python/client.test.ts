// cspell:ignore gern FEFF
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/contract/json/json.js';
import { memoOf } from '../../src/contract/procedures/source.js';
import { collectFile } from '../../src/sources/collect-source.js';
import { procedureOf } from '../support/procedure-source.js';
import { pythonOr, type Python } from '../support/python.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** Applications in Python start, follow and answer runs of a development server. */

const found = await pythonOr('the client for Python');
const folder = temporaryFolder('python-client');
const root = resolve(import.meta.dirname, '../..');
let server: TestServer;
let worker: TestWorker;
let python: Python;

function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

beforeAll(async () => {
  if (found === null) return;
  server = await startDevServer();
  write(
    'named/greet.tac',
    'Procedure { input = { name = field.string {} }, function(i) return "hello " .. i.name end }',
  );
  worker = await startWorker(server, { activities: { procedureFolders: [join(folder, 'named')] } });
  python = found.with({ TEMPORAL_ADDRESS: server.env.address });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

const told = <T>(name: string, ...args: string[]): Promise<T> =>
  python.script<T>('client_cases.py', [name, ...args]);

describe.skipIf(found === null)('a client in Python', () => {
  it('starts a file, follows it, decides with verdicts, and reads what became of it', async () => {
    write('life/words.tac', 'return { asked = "Well?" }');
    const file = write(
      'life/review.tac',
      `local words = require("words")
      Procedure {
        input = { topic = field.string { required = true } },
        output = { ok = field.boolean {}, topic = field.string {} },
        function(input)
          print("about " .. input.topic)
          Log.info("asking", { topic = input.topic })
          state.ok = Human.approve { message = words.asked, context = { topic = input.topic } }
          checkpoint(function() return { 1, 2 } end)
          return { ok = state.ok, topic = input.topic }
        end,
      }`,
    );
    const life = await told<JsonObject>('life', file);
    const output = { ok: true, topic: 'Tee ☕' };
    expect(life).toMatchObject({
      requests: [{ id: 'life/0', kind: 'approval', message: 'Well?', context: { topic: 'Tee ☕' } }],
      verdicts: ['invalid', 'invalid', 'accepted', 'duplicate', 'late', 'duplicate', 'unknown', 'unknown'],
      result: output,
      view: { run_id: 'life', procedure: 'review', status: 'completed', output, error: null, checkpoints: 2 },
      log: [
        { position: '0', type: 'hitl_approval', result: { value: true, by: 'ann', comment: 'gern' } },
        { position: '1', type: 'explicit_checkpoint', result: [1, 2] },
      ],
      from: ['1'],
      state: { ok: true },
      shown: [
        { kind: 'print', text: 'about Tee ☕' },
        { kind: 'log', level: 'info', message: 'asking' },
      ],
      after: [[], 2],
      again: 'life',
      input: { code: 'run_conflict', message: expect.stringContaining('another input') as string },
      task: { code: 'run_conflict', message: expect.stringContaining('another task') as string },
      source: { code: 'run_conflict', message: expect.stringContaining('another source') as string },
    });
    const seen = life['seen'] as string[];
    expect([seen.includes('waiting_for_human'), seen.at(-1)]).toEqual([true, 'completed']);
    const { memo } = await server.client.workflow.getHandle('life').describe();
    expect(memo).toEqual(memoOf(await collectFile(file), undefined));
    // A client of the other language takes it for its own.
    const run = await server.tactus.start(await collectFile(file), { topic: 'Tee ☕' }, { runId: 'life' });
    expect(await run.result()).toEqual(output);
  });

  it('is told how runs end, and what can be refused is refused with nothing started', async () => {
    const ends = await told<JsonObject>('ends', folder);
    const request = { run_id: 'parent/0', message: 'Go?' };
    expect(ends).toMatchObject({
      cancelled: { code: 'cancelled', message: expect.stringContaining('was cancelled') as string },
      cancelledView: { status: 'cancelled' },
      terminated: { code: 'cancelled', message: expect.stringContaining('was terminated') as string },
      terminatedView: {
        status: 'terminated',
        pending: [],
        waits: [],
        closed_at: expect.any(String) as string,
      },
      lua: {
        code: 'lua_error',
        file: 'main.tac',
        line: 2,
        message: expect.stringContaining('it broke') as string,
      },
      broken: { code: 'source_invalid', file: 'main.tac' },
      misfit: { code: 'input_invalid', message: expect.stringContaining('n') as string },
      tasks: 'did one',
      missing: { code: 'source_not_found' },
      huge: { code: 'payload_too_large' },
      noObject: { code: 'input_invalid' },
      noJson: { code: 'input_invalid' },
      gone: { code: 'run_not_found' },
      goneSignal: { code: 'run_not_found' },
      named: 'hello Ann',
      namedAgain: 'named',
      namedOther: { code: 'run_conflict' },
      childRequest: [request],
      childVerdict: { outcome: 'accepted' },
      childResult: true,
    });
  });

  it('lists runs', async () => {
    const source = procedureOf('return checkpoint(function() return 1 end)');
    const options = { runId: 'labelled-1', labels: { team: "tea's", tier: '1' } };
    await (await server.tactus.start(source, {}, options)).result();
    await server.tactus.fork('labelled-1', { at: '0', runId: 'fork-1' });
    await waitUntil(async () => {
      const { runs } = await server.tactus.list({ labels: options.labels, limit: 10 });
      return runs.some(({ run_id: id }) => id === 'fork-1');
    });
    const lists = await told<JsonObject>('lists');
    expect(lists).toMatchObject({ waiting: ['list-1'], none: [] });
    expect([...(lists['labelled'] as string[])].sort()).toEqual(['fork-1', 'labelled-1']);
    expect(lists).toMatchObject({ other: [], forks: ['fork-1'] });
    expect((lists['all'] as JsonObject[]).map(({ run_id: id, procedure }) => [id, procedure]).sort()).toEqual(
      [
        ['list-1', 'l'],
        ['list-2', 'l'],
      ],
    );
  });

  it('sends events', async () => {
    expect(await told('events')).toBe(4);
  });

  it('says that no worker answers', async () => {
    expect(await told('nobody')).toMatchObject([
      { code: 'no_worker', message: expect.stringContaining('task queue nobody') as string },
      { code: 'no_worker' },
      { status: 'terminated', procedure: 'n' },
    ]);
  });

  it('finds its server as the command line does', async () => {
    const { address } = server.env;
    expect(await told('places', address)).toMatchObject({
      namespace: 'default',
      queue: 'q',
      own: 'tactus',
      found: address,
      nobody: { code: 'server_unreachable', message: expect.stringContaining('localhost:1') as string },
    });
    const cwd = temporaryFolder('python-embedded');
    const elsewhere = (name: string, ...args: string[]): Promise<JsonObject> =>
      (found as Python).script('client_cases.py', [name, ...args], { cwd });
    expect(await elsewhere('unknown')).toMatchObject({ code: 'server_unreachable' });
    mkdirSync(join(cwd, '.tactus-temporal'));
    writeFileSync(join(cwd, '.tactus-temporal', 'server.json'), JSON.stringify({ address }));
    expect(await elsewhere('places', address)).toMatchObject({ found: address });
  });

  it('collects what a file reaches as the other client does', async () => {
    write('trees/a/b.tac', 'require("c.d") require [[e]] pcall(require, "f")');
    write('trees/c/d.lua', 'return 1');
    write('trees/e/init.tac', 'return { use = "./helpers/math.tac" }');
    write('trees/helpers/math.tac', '-- BOM \u{FEFF} here\r\n');
    write('trees/tasks/more.tac', 'IncludeTasks "deep.tac"');
    write('trees/tasks/deep.tac', 'Task "x" {}');
    write('trees/skills/one/SKILL.md', '# one');
    write('trees/skills/.hidden/SKILL.md', '# hidden');
    write('trees/skills/one/notes.md', '# no skill');
    write('trees/data', 'no procedure');
    write('trees/data.tac', 'Procedure { function() end }');
    write('above.tac', 'require("beside")');
    write('beside.tac', 'return 1');
    const main = write(
      'trees/main.tac',
      `require("a.b") require("missing") require("../out") Agent { skills = {"./skills", "none"} }
      local files = { "data.tac", "nowhere.tac" } Procedure.run(files[1]) procedure.spawn "data"
      pcall(Procedure.run, "above") IncludeTasks { path = "tasks/more.tac" } Toolset "t" { use = 'helpers/math.tac' }`,
    );
    const examples = (await readdir(join(root, 'examples'), { recursive: true })).filter((name) =>
      name.endsWith('.tac'),
    );
    const all = [main, ...examples.map((name) => join(root, 'examples', name))];
    expect(await told('sources', ...all)).toEqual(
      await Promise.all(all.map(async (file) => collectFile(file))),
    );
  });
});
