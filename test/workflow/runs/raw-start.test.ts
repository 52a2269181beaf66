import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { listRuns } from '../../../src/client/lists/list-runs.js';
import { viewRun } from '../../../src/client/runs/view-run.js';
import type { ErrorCode } from '../../../src/contract/errors.js';
import { defaultLimits, limitCeilings, type Limits } from '../../../src/contract/runs/limits.js';
import { defaultTaskQueue, signalNames, workflowType } from '../../../src/contract/names.js';
import { newCarry } from '../../../src/contract/runs/start-input.js';
import { executablePaths } from '../../support/executable-paths.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

const greet =
  'Procedure { input = { name = field.string{default = "you"} }, function(input) return "hello " .. input.name end }';
const asks = 'Procedure { function() return Human.approve("Go?") end }';

const inFolder = (procedure: string, input = {}) => [{ procedure, input }];
const files = { 'main.tac': greet };

/** What anybody could give as arguments of the workflow, and what the run then fails with. */
const badStarts: { name: string; args: unknown[]; code: ErrorCode; message: RegExp }[] = [
  { name: 'nothing', args: [], code: 'usage', message: /one JSON object/ },
  { name: 'a text', args: [''], code: 'usage', message: /one JSON object/ },
  { name: 'a list', args: [[]], code: 'usage', message: /one JSON object/ },
  { name: 'a number', args: [42], code: 'usage', message: /one JSON object/ },
  { name: 'null', args: [null], code: 'usage', message: /one JSON object/ },
  { name: 'an empty object', args: [{}], code: 'usage', message: /names no procedure/ },
  {
    name: 'an unknown field',
    args: [{ procedure: 'greet', inputs: {} }],
    code: 'usage',
    message: /unknown field inputs/,
  },
  { name: 'a name that is none', args: [{ procedure: 7 }], code: 'usage', message: /not a name/ },
  {
    name: 'a source without files',
    args: [{ source: { entry: 'a.tac' } }],
    code: 'usage',
    message: /source/,
  },
  {
    name: 'a source without its entry',
    args: [{ source: { entry: 'a.tac', files } }],
    code: 'usage',
    message: /source/,
  },
  {
    name: 'limits that are none',
    args: [{ source: { entry: 'main.tac', files }, limits: 5 }],
    code: 'usage',
    message: /limits/,
  },
  ...(
    [
      [
        'instructions of a slice',
        { sliceInstructions: 9e15 },
        /sliceInstructions must be .* at most 20000000/,
      ],
      ['bytes of memory', { memoryBytes: 9e15 }, /memoryBytes must be .* at most 536870912/],
      ['a number that is text', { historyEvents: '9000000000' }, /historyEvents must be a number/],
      ['less than nothing', { overdraftInstructions: -1 }, /overdraftInstructions must be .* above 0/],
      ['what is no limit', { memory: 1 }, /no limit memory: limits are sliceInstructions, /],
    ] as const
  ).map(([name, limits, message]) => ({
    name: `limits: ${name}`,
    args: [{ source: { entry: 'main.tac', files }, limits }],
    code: 'input_invalid' as const,
    message,
  })),
  {
    name: 'limits that no worker can keep, as if the run had begun on an older engine',
    args: [
      {
        source: { entry: 'main.tac', files },
        limits: { sliceInstructions: 9e15 },
        carry: { ...newCarry('raw', 'first', 0), engine: 8 },
      },
    ],
    code: 'input_invalid',
    message: /sliceInstructions/,
  },
  {
    name: 'settings that are none',
    args: [{ source: { entry: 'main.tac', files }, settings: { strictDeterminism: 'yes' } }],
    code: 'usage',
    message: /settings/,
  },
  {
    name: 'settings that nobody knows',
    args: [{ source: { entry: 'main.tac', files }, settings: { model: 'x' } }],
    code: 'usage',
    message: /settings/,
  },
  {
    name: 'a second argument',
    args: [{ source: { entry: 'main.tac', files } }, 'more'],
    code: 'usage',
    message: /argument/,
  },
  {
    name: 'a folder that is no path',
    args: [{ source: { entry: 'main.tac', files }, folder: 5 }],
    code: 'usage',
    message: /folder that is not a path/,
  },
  {
    name: 'a task that is no name',
    args: [{ source: { entry: 'main.tac', files }, task: 5 }],
    code: 'usage',
    message: /task that is not a name/,
  },
  {
    name: 'a task that the file does not have',
    args: [{ source: { entry: 'main.tac', files }, task: 'build' }],
    code: 'no_procedure',
    message: /no task "build"/,
  },
  {
    name: 'a parent that is none',
    args: [{ source: { entry: 'main.tac', files }, parent: 'me' }],
    code: 'usage',
    message: /parent/,
  },
  {
    name: 'a drift that is none',
    args: [{ source: { entry: 'main.tac', files }, drift: { seed: 1 } }],
    code: 'usage',
    message: /drift/,
  },
  {
    name: 'a carry that is none',
    args: [{ source: { entry: 'main.tac', files }, carry: {} }],
    code: 'usage',
    message: /carry/,
  },
  {
    name: 'a procedure that is not there',
    args: inFolder('nowhere'),
    code: 'source_not_found',
    message: /nowhere/,
  },
  {
    name: 'a way out of the folder',
    args: inFolder('../greet'),
    code: 'source_not_found',
    message: /no name/,
  },
  {
    name: 'an input that does not fit',
    args: inFolder('greet', { nam: 'x' }),
    code: 'input_invalid',
    message: /nam/,
  },
  {
    name: 'an input that is a list',
    args: [{ procedure: 'greet', input: [1] }],
    code: 'input_invalid',
    message: /object/,
  },
  {
    name: 'a source that is no Lua',
    args: inFolder('broken'),
    code: 'source_invalid',
    message: /broken\.tac/,
  },
];

let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  const folder = temporaryFolder('procedures');
  await writeFile(join(folder, 'greet.tac'), greet);
  await writeFile(join(folder, 'asks.tac'), asks);
  await writeFile(join(folder, 'broken.tac'), 'Procedure {');
  await writeFile(join(folder, 'clock.tac'), 'Procedure { function() return os.time() > 0 end }');
  await writeFile(join(folder, 'clock.tac.yml'), 'strict_determinism: true');
  worker = await startWorker(server, { activities: { procedureFolders: [folder] } });
});

afterAll(async () => {
  await worker.stop();
  await server.stop();
});

let count = 0;

async function start(args: unknown[]) {
  const workflowId = `raw-${++count}`;
  await server.client.workflow.start(workflowType, { args, workflowId, taskQueue: defaultTaskQueue });
  return server.tactus.attach(workflowId);
}

describe('a run is started with nothing of ours at hand', () => {
  it('by a Temporal client, by the name of a procedure', async () => {
    const run = await start([{ procedure: 'greet', input: { name: 'Ann' } }]);
    expect(await run.result()).toBe('hello Ann');
    expect(await run.status()).toMatchObject({ procedure: 'greet', status: 'completed' });
    expect(await (await start([{ procedure: 'greet' }])).result()).toBe('hello you');
  });

  it('with the configuration that lies beside the procedure, and what the start says over it', async () => {
    await expect((await start([{ procedure: 'clock' }])).result()).rejects.toMatchObject({
      code: 'non_deterministic',
    });
    const settings = { strictDeterminism: false };
    expect(await (await start([{ procedure: 'clock', settings }])).result()).toBe(true);
  });

  it("by Temporal's command line, which answers it too", async () => {
    const temporal = (args: string[]) =>
      promisify(execFile)(executablePaths().temporal, [...args, '--address', server.env.address], {
        timeout: 30_000,
      });
    const id = 'by-hand';
    const named = ['--workflow-id', id];
    await temporal([
      'workflow',
      'start',
      '--type',
      workflowType,
      '--task-queue',
      defaultTaskQueue,
      ...named,
      '--input',
      '{"procedure": "asks"}',
    ]);
    const run = server.tactus.attach(id);
    await pendingOf(run);
    const decision = JSON.stringify({ request: `${id}/0`, value: true });
    const listed = async () => (await listRuns(server.client, { limit: 5, procedure: 'asks' })).runs;
    await waitUntil(async () => (await listed()).length > 0);
    expect(await listed()).toMatchObject([{ run_id: id, procedure: 'asks', status: 'waiting_for_human' }]);
    // Where there are no search attributes, lists tell by this what it runs.
    expect((await server.client.workflow.getHandle(id).describe()).memo).toMatchObject({ procedure: 'asks' });
    await temporal(['workflow', 'signal', ...named, '--name', signalNames.decide, '--input', decision]);
    expect(await run.result()).toBe(true);
  });

  it('by a TactusClient that was told nothing of the namespace', async () => {
    const tactus = new TactusClient(new Client({ connection: server.env.connection }));
    const run = await tactus.start({ entry: 'plain.tac', files: { 'plain.tac': asks } });
    const listed = async () => (await listRuns(server.client, { limit: 5, procedure: 'plain' })).runs;
    await waitUntil(async () => (await listed())[0]?.status === 'waiting_for_human');
    await tactus.decide({ request: `${run.runId}/0`, value: true });
    expect(await run.result()).toBe(true);
  });

  it.each(badStarts)('with $name: a failed run that says why', async ({ args, code, message }) => {
    const run = await start(args);
    const error: unknown = await run.result().catch((each: unknown) => each);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
    const view = await viewRun(run);
    expect(view).toMatchObject({ status: 'failed', error: { code } });
    expect(view).not.toHaveProperty('incomplete');
  });

  it('with the most that may be asked for: it ends all the same, where it would fill the memory', async () => {
    const bomb = `Procedure { function() local t, i = {}, 0 while true do i = i + 1 t[i] = ("x"):rep(1000) .. i end end }`;
    const run = await start([
      {
        source: { entry: 'main.tac', files: { 'main.tac': bomb } },
        limits: { ...limitCeilings, memoryBytes: 100_000_000 },
      },
    ]);
    await expect(run.result()).rejects.toMatchObject({ code: 'memory_limit' });
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  }, 180_000);
});

it('a client starts nothing, not even by a schedule, with limits that no worker can keep', async () => {
  const source = { entry: 'main.tac', files };
  const limits = { memoryBytes: 9e15 };
  const refused = { code: 'input_invalid', message: expect.stringMatching(/memoryBytes/) as string };
  await expect(server.tactus.start(source, {}, { runId: 'too-much', limits })).rejects.toMatchObject(refused);
  await expect(
    server.tactus.schedules.create('too-often', source, {}, { everyMs: 3_600_000 }, { limits }),
  ).rejects.toMatchObject(refused);
  await expect(server.client.workflow.getHandle('too-much').describe()).rejects.toThrow(/not found/i);
  await expect(server.client.schedule.getHandle('too-often').describe()).rejects.toThrow(/not found/i);
});

it('no limit is larger by default than it may be', () => {
  for (const [name, most] of Object.entries(limitCeilings) as [keyof Limits, number][])
    expect(defaultLimits[name], name).toBeLessThanOrEqual(most);
});
