import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/activities/tools/define-tool.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startTimeSkippingServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const around = serverWithProvider();
let workers: TestWorker[] = [];
let charges: number[];
let folder: string;

const charge = defineTool({
  name: 'charge_card',
  description: 'Charges a card',
  input: z.object({ cents: z.number() }),
  effect: 'once',
  execute: ({ cents }) => {
    charges.push(cents);
    return { charged: cents };
  },
});

async function work(taskQueue?: string): Promise<void> {
  const activities = { env: around.env, tools: [charge], procedureFolders: [folder] };
  workers.push(
    await startWorker(around.server, { activities, ...(taskQueue === undefined ? {} : { taskQueue }) }),
  );
}

beforeEach(async () => {
  charges = [];
  folder = temporaryFolder('held');
  around.provider.reply(() => ({ text: 'done' }));
  await work();
});
afterEach(async () => {
  const { holds } = around.server.tactus;
  for (const { target } of await holds.list()) await holds.release(target);
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});

const one = procedureSource(`
  writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
  Procedure { function() return writer("Write").output end }`);
const hold = (target: string, until?: Date) =>
  around.server.tactus.holds.add(target, {
    reason: 'down',
    by: 'ann',
    ...(until === undefined ? {} : { until }),
  });
const listed = () => around.server.tactus.holds.list();
const replayed = (run: TactusRun): Promise<string[]> => replayRun(around.server.client, run);
const whenHeld = (run: TactusRun) =>
  waitUntil(async () => {
    const view = await run.status();
    return view.held !== undefined && view;
  });

describe('a tool that is held', () => {
  it('is called once, when it is released, also where it must not be called twice', async () => {
    await hold('tool:charge_*');
    const run = await around.server.tactus.start(
      procedureOf('local charge = Tool { use = "host.charge_card" } return charge({ cents = 5 }).charged'),
    );
    const view = await whenHeld(run);
    expect(view.waits).toMatchObject([{ kind: 'activity', held: true, hold: 'tool:charge_*' }]);
    expect(charges).toEqual([]);
    await around.server.tactus.holds.release('tool:charge_*');
    expect(await run.result()).toBe(5);
    expect(charges).toEqual([5]);
    expect(await replayed(run)).toEqual([]);
  });
});

describe('a task queue that is held', () => {
  it('takes no call, and no start of a client', async () => {
    await work('other');
    const other = new TactusClient(around.server.client, { taskQueue: 'other' });
    const open = await other.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
        Procedure { function() Event.wait("go") return writer("Write").output end }`),
    );
    await hold('queue:other');
    await open.send('go', true);
    expect((await whenHeld(open)).waits).toMatchObject([{ hold: 'queue:other' }]);
    const held = await other.start(one);
    expect(await whenHeld(held)).toMatchObject({ status: 'paused', paused: { hold: 'queue:other' } });
    const free = await around.server.tactus.start(one);
    expect(await free.result()).toBe('done');
    await around.server.tactus.holds.release('queue:other');
    expect([await open.result(), await held.result()]).toEqual(['done', 'done']);
  });
});

describe('a tenant that is held', () => {
  const acme = { priority: { fairnessKey: 'acme' } };
  const writes = procedureSource(`
    writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
    Procedure { function() Event.wait("go") return writer("Write").output end }`);

  it('has its calls and starts wait, and nobody else’s', async () => {
    const { tactus } = around.server;
    const theirs = await tactus.start(writes, {}, acme);
    const others = [
      await tactus.start(writes, {}, { priority: { fairnessKey: 'other' } }),
      await tactus.start(writes),
    ];
    await hold('tenant:acme');
    for (const run of [theirs, ...others]) await run.send('go', true);
    for (const run of others) expect(await run.result()).toBe('done');
    expect(await whenHeld(theirs)).toMatchObject({
      status: 'running',
      waits: [{ held: true, hold: 'tenant:acme' }],
    });
    const later = await tactus.start(writes, {}, acme);
    expect(await whenHeld(later)).toMatchObject({ status: 'paused', paused: { hold: 'tenant:acme' } });
    await later.send('go', true);
    expect(around.provider.requests).toHaveLength(2);

    await tactus.holds.release('tenant:acme');
    expect([await theirs.result(), await later.result()]).toEqual(['done', 'done']);
    for (const run of [theirs, later]) expect(await replayed(run)).toEqual([]);
  });

  it('begins paused where a run of theirs is started by a name, and child runs of theirs wait', async () => {
    writeFileSync(join(folder, 'ask.tac'), 'Procedure { function() return Human.input("Name?") end }');
    const { client, tactus } = around.server;
    const parent = await tactus.start(
      procedureOf('Event.wait("go") return Procedure.wait(Procedure.spawn("write"))', {
        'write.tac': `
          writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
          Procedure { function() return writer("Write").output end }`,
      }),
      {},
      acme,
    );
    await hold('tenant:ac*');
    await client.workflow.start('tactus', {
      ...{ workflowId: 'theirs-by-name', taskQueue: tactus.taskQueue, args: [{ procedure: 'ask' }] },
      ...acme,
    });
    const run = tactus.attach('theirs-by-name');
    expect(await whenHeld(run)).toMatchObject({
      status: 'paused',
      paused: { hold: 'tenant:ac*' },
      pending: [],
    });
    await parent.send('go', true);
    await waitUntil(async () => (await listed())[0]?.waiting === 2);
    expect(around.provider.requests).toEqual([]);
    await tactus.holds.release('tenant:ac*');
    expect(await parent.result()).toBe('done');
    await waitUntil(async () => (await run.pending()).length === 1);
    await run.cancel();
    for (const each of [run, parent]) expect(await replayed(each)).toEqual([]);
  });
});

describe('a procedure that is held', () => {
  const asks = procedureSource('Procedure { function() return Human.input("Name?") end }');

  it('begins paused, asks nobody, and goes on when it is released', async () => {
    await hold('procedure:main');
    const run = await around.server.tactus.start(asks);
    const view = await whenHeld(run);
    expect(view).toMatchObject({
      status: 'paused',
      paused: { by: 'ann', reason: 'down', hold: 'procedure:main' },
      held: [{ target: 'procedure:main', waiting: 1 }],
      pending: [],
    });
    await waitUntil(async () => (await listed())[0]?.waiting === 1);
    await around.server.tactus.holds.release('procedure:main');
    await waitUntil(async () => (await run.pending()).length === 1);
    expect((await run.status()).paused).toBeUndefined();
    await run.cancel();
    expect(await replayed(run)).toEqual([]);
  });

  it('begins paused too where it is started by a name', async () => {
    writeFileSync(join(folder, 'ask.tac'), 'Procedure { function() return Human.input("Name?") end }');
    await hold('procedure:ask');
    const { client, tactus } = around.server;
    await client.workflow.start('tactus', {
      ...{ workflowId: 'by-name', taskQueue: tactus.taskQueue, args: [{ procedure: 'ask' }] },
    });
    const run = tactus.attach('by-name');
    expect(await whenHeld(run)).toMatchObject({ status: 'paused', pending: [] });
    await tactus.holds.release('procedure:ask');
    await waitUntil(async () => (await run.pending()).length === 1);
    await run.cancel();
    expect(await replayed(run)).toEqual([]);
  });

  it('goes on alone by unpause, and stays paused for whoever pauses it', async () => {
    await hold('procedure:main');
    const [first, second] = [await around.server.tactus.start(asks), await around.server.tactus.start(asks)];
    await Promise.all([first, second].map(whenHeld));
    expect(await first.unpause()).toMatchObject({ status: 'running', changed: true });
    expect(await second.pause({ by: 'bob' })).toMatchObject({ changed: true, paused: { by: 'bob' } });
    await waitUntil(async () => (await listed())[0]?.waiting === 0);
    await around.server.tactus.holds.release('procedure:main');
    expect(await second.status()).toMatchObject({ status: 'paused', paused: { by: 'bob' } });
    expect((await first.pending()).length).toBe(1);
    await Promise.all([first, second].map((run) => run.cancel()));
  });
});

describe('a run of a held procedure that no client starts', () => {
  const digest = `
    writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
    Procedure { function()
      local day = checkpoint(function() return "monday" end)
      return { day, writer("Write").output }
    end }`;

  /** It begins, waits at its first call as the hold says, and makes it once. */
  async function expectToWaitAtItsFirstCall(run: TactusRun): Promise<void> {
    expect(await whenHeld(run)).toMatchObject({
      status: 'running',
      checkpoints: 1,
      held: [{ target: 'procedure:digest', waiting: 1 }],
      waits: [{ kind: 'activity', held: true, hold: 'procedure:digest' }],
    });
    await waitUntil(async () => (await listed())[0]?.waiting === 1);
    expect(around.provider.requests).toHaveLength(0);
    await around.server.tactus.holds.release('procedure:digest');
    expect(await run.result()).toEqual(['monday', 'done']);
    expect(around.provider.requests).toHaveLength(1);
    expect(await replayed(run)).toEqual([]);
  }

  it('waits at its first call where a schedule starts it', async () => {
    const { schedules } = around.server.tactus;
    await schedules.create(
      'mondays',
      { entry: 'digest.tac', files: { 'digest.tac': digest } },
      {},
      { cron: '0 8 * * 1' },
    );
    await hold('procedure:digest');
    await schedules.trigger('mondays');
    const id = await waitUntil(async () => (await schedules.list())[0]?.runs[0] ?? null);
    await schedules.delete('mondays');
    await expectToWaitAtItsFirstCall(around.server.tactus.attach(id));
  });

  it('waits at its first call where another run starts it, which is not held', async () => {
    await hold('procedure:digest');
    const parent = await around.server.tactus.start(
      procedureOf('return Procedure.wait(Procedure.spawn("digest"))', { 'digest.tac': digest }),
    );
    const child = await waitUntil(async () => (await parent.status()).children[0] ?? null);
    await whenHeld(around.server.tactus.attach(child));
    expect((await parent.status()).held).toBeUndefined();
    await expectToWaitAtItsFirstCall(around.server.tactus.attach(child));
    expect(await parent.result()).toEqual(['monday', 'done']);
  });
});

describe('a release', () => {
  it('lets so many calls go each second, also those that come meanwhile', async () => {
    await hold('provider:openai');
    const start = () => around.server.tactus.start(one);
    const runs = [await start(), await start(), await start()];
    await waitUntil(async () => (await listed())[0]?.waiting === 3);
    expect(await around.server.tactus.holds.release('provider:openai', { rate: 1 })).toMatchObject([
      { target: 'provider:openai', rate: 1, waiting: 3 },
    ]);
    runs.push(await start());
    for (const run of runs) expect(await run.result()).toBe('done');
    const released = await Promise.all(runs.map(whenReleased));
    const times = released.toSorted((a, b) => a - b);
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(900);
    expect(await waitUntil(async () => (await listed()).length === 0)).toBe(true);
  });

  it('comes by itself at the end of the hold', async () => {
    await hold('provider:openai', new Date(Date.now() + 3_000));
    const run = await around.server.tactus.start(one);
    await whenHeld(run);
    expect(await run.result()).toBe('done');
    expect(await listed()).toEqual([]);
    expect(around.provider.requests).toHaveLength(1);
  });

  /** When the run was told, in ms since 1970. */
  async function whenReleased(run: TactusRun): Promise<number> {
    const histories = await historiesOf(around.server.client, run.runId);
    const event = histories
      .flatMap((history) => history.events ?? [])
      .find((each) => each.workflowExecutionSignaledEventAttributes?.signalName === 'tactus_released');
    return Number(event?.eventTime?.seconds) * 1_000 + Number(event?.eventTime?.nanos) / 1e6;
  }
});

it('a run whose message is lost looks again, and goes on where nothing is held any more', async () => {
  const server = await startTimeSkippingServer();
  const worker = await startWorker(server, { activities: { env: around.env } });
  try {
    await server.tactus.holds.add('provider:openai', { reason: 'down' });
    const run = await server.tactus.start(one);
    await waitUntil(async () => (await run.status()).held !== undefined);
    await server.client.workflow.getHandle('tactus-holds').terminate();
    expect(await run.result()).toBe('done');
    expect(around.provider.requests).toHaveLength(1);
  } finally {
    await worker.stop();
    await server.stop();
  }
});
