import { describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { startChildWorker, type KillAt } from '../../support/child-worker.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
/** A dead worker is noticed after this time, in ms. */
const heartbeatMs = 1_000;

/** What the provider was asked, in order: `POST`, `GET resp_bg_1`, `POST resp_bg_1/cancel`. */
const asked = (): string[] =>
  around.provider.requests.map(({ method, path }) =>
    [method, /responses\/?([^?]*)/.exec(path)?.[1]].join(' ').trim(),
  );
const bought = (): number => asked().filter((each) => each === 'POST').length;

async function start(taskQueue: string, more = ''): Promise<TactusRun> {
  const source = procedureOf(`
    thinker = Agent { model = "openai/gpt-x", model_type = "responses", background = true, retry = { delay_seconds = 0.1 }, ${more} }
    return thinker("Think for long").output`);
  const tactus = new TactusClient(around.server.client, { taskQueue });
  return tactus.start(source, {}, { limits: { heartbeatMs } });
}

const worker = (taskQueue: string): Promise<TestWorker> =>
  startWorker(around.server, { taskQueue, activities: { env: around.env } });

/** What a run came to that a new worker ends. */
async function endedBy(run: TactusRun, taskQueue: string): Promise<{ output: unknown; tokens: number }> {
  const last = await worker(taskQueue);
  const output = await run.result();
  const { usage } = await run.status();
  await last.stop();
  return { output, tokens: usage.input_tokens + usage.output_tokens };
}

/** A worker in a process of its own. */
const child = (taskQueue: string, killAt?: KillAt) =>
  startChildWorker({
    address: around.server.env.address,
    taskQueue,
    filesRoot: '/nonexistent',
    env: around.env,
    ...(killAt === undefined ? {} : { killAt }),
  });

describe('a response in the background is bought once', () => {
  it('though the worker that waits for it is killed', async () => {
    let isReady = false;
    around.provider.reply({ inBackground: { text: 'forty-two' }, isReady: () => isReady });
    const first = await child('killed-waiting');
    const run = await start('killed-waiting');
    // It was begun, and looked at once.
    await around.provider.arrived(2);
    await first.kill();
    isReady = true;
    expect(await endedBy(run, 'killed-waiting')).toEqual({ output: 'forty-two', tokens: 15 });
    expect(bought()).toBe(1);
  });

  it('though the worker that has its answer is killed before the run has it', async () => {
    around.provider.reply({ inBackground: { text: 'forty-two' }, isReady: () => true });
    const first = await child('killed-with-it', { station: 'modelCall', nth: 2 });
    const run = await start('killed-with-it');
    expect(await first.ended).toBe('SIGKILL');
    expect(await endedBy(run, 'killed-with-it')).toEqual({ output: 'forty-two', tokens: 15 });
    expect(asked()).toEqual(['POST', 'GET resp_bg_2', 'GET resp_bg_2']);
  });

  it('though the worker shuts down', async () => {
    let isReady = false;
    around.provider.reply({ inBackground: { text: 'forty-two' }, isReady: () => isReady });
    const first = await worker('shut-down');
    const run = await start('shut-down');
    await around.provider.arrived(2);
    await first.stop();
    isReady = true;
    expect(await endedBy(run, 'shut-down')).toEqual({ output: 'forty-two', tokens: 15 });
    expect(bought()).toBe(1);
    expect(asked().some((each) => each.endsWith('/cancel'))).toBe(false);
  });
});

it('one that its schema refuses is bought anew, and both are counted', async () => {
  around.provider.reply(
    { inBackground: { text: 'no JSON' }, isReady: () => true },
    { inBackground: { text: '{"n": 3}' }, isReady: () => true },
  );
  const run = await start('no-use', 'output = { n = field.number { required = true } }');
  expect(await endedBy(run, 'no-use')).toEqual({ output: { n: 3 }, tokens: 30 });
  expect(bought()).toBe(2);
});

it('one that is no answer at all is bought anew', async () => {
  around.provider.reply(
    { inBackground: { ended: 'completed', output: 'rubbish' }, isReady: () => true },
    { inBackground: { text: 'forty-two' }, isReady: () => true },
  );
  const run = await start('no-answer');
  expect(await endedBy(run, 'no-answer')).toEqual({ output: 'forty-two', tokens: 15 });
  const [, first, , second] = asked();
  expect(asked()).toEqual(['POST', first, 'POST', second]);
});

it('one that has failed is bought anew', async () => {
  around.provider.reply(
    { inBackground: { failed: { code: 'server_error', message: 'out of order' } }, isReady: () => true },
    { inBackground: { text: 'forty-two' }, isReady: () => true },
  );
  const run = await start('has-failed');
  expect(await endedBy(run, 'has-failed')).toEqual({ output: 'forty-two', tokens: 15 });
  expect(bought()).toBe(2);
});

describe('the provider is told that nobody wants it any more', () => {
  it.each(['cancel', 'terminate'] as const)('where the run is to %s', async (how) => {
    around.provider.reply({ inBackground: { text: 'never' }, isReady: () => false });
    const only = await worker(how);
    const run = await start(how);
    await around.provider.arrived(2);
    await (how === 'cancel' ? run.cancel() : run.handle.terminate());
    await expect(run.result()).rejects.toThrow();
    const id = /resp_bg_\d+/.exec(asked()[1] ?? '')?.[0];
    const isTold = (): boolean => asked().includes(`POST ${id}/cancel`);
    for (let n = asked().length; !isTold(); n++) await around.provider.arrived(n + 1);
    expect(bought()).toBe(1);
    await only.stop();
  });
});
