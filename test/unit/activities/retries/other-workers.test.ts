import { hostname } from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { Fault, isTriedAgain } from '../../../../src/activities/retries/failures.js';
import { retryOnOtherWorkers, type OtherWorkers } from '../../../../src/activities/retries/other-workers.js';
import type { ModelCallInput, TactusActivities } from '../../../../src/contract/activities.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';

type Info = ConstructorParameters<typeof MockActivityEnvironment>[0];

const alone: OtherWorkers = { failsWithoutOthers: true, hasOtherWorkers: () => Promise.resolve(false) };
const beside: OtherWorkers = { failsWithoutOthers: true, hasOtherWorkers: () => Promise.resolve(true) };
const elsewhere: OtherWorkers = {
  failsWithoutOthers: false,
  hasOtherWorkers: () => Promise.reject(new Error('is not asked')),
};
const tries = { attempts: 10, answers: 3, patienceMs: 3_600_000, isSaid: false };
const at = { scheduledTimestampMs: 1_000_000, currentAttemptScheduledTimestampMs: 1_000_000 };

interface Failed {
  failure: ApplicationFailure;
  beats: JsonObject[];
}

async function failed(
  use: OtherWorkers,
  {
    info = {},
    input = { tries },
    error = lack('missing_key'),
  }: { info?: Info; input?: object; error?: Error } = {},
): Promise<Failed> {
  const activities = retryOnOtherWorkers(
    { modelCall: () => Promise.reject(error) } as unknown as TactusActivities,
    use,
  );
  const environment = new MockActivityEnvironment({
    ...at,
    retryPolicy: { maximumAttempts: 210 },
    ...info,
  });
  const beats: JsonObject[] = [];
  environment.on('heartbeat', (details: JsonObject) => beats.push(details));
  const failure = await environment
    .run((given: object) => activities.modelCall(given as ModelCallInput), input)
    .then(() => new Error('nothing failed'))
    .catch((thrown: unknown) => thrown as Error);
  return { failure: failure as ApplicationFailure, beats };
}

function lack(type: string, details: JsonObject = {}): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: 'It needs a key',
    nonRetryable: true,
    details: [details],
  });
}

describe('what a worker lacks', () => {
  it('is tried again elsewhere, and names host, process and the end', async () => {
    for (const type of ['missing_key', 'missing_package']) {
      const { failure, beats } = await failed(elsewhere, { error: lack(type, { variable: 'A' }) });
      expect(failure).toMatchObject({ type, nonRetryable: false, details: [{ variable: 'A' }] });
      expect(failure.message).toBe(
        `It needs a key, on worker ${process.pid}@${hostname()}. Any worker of the task queue may take the call, until 1970-01-01T01:16:40Z`,
      );
      expect(beats).toEqual([{ passed: 1 }]);
    }
  });

  it('says when it ends where few attempts are left for it', async () => {
    const few = { input: { tries: { ...tries, attempts: 3, isSaid: true } } };
    const ends = [];
    for (const passed of [0, 7]) {
      const info = {
        retryPolicy: { maximumAttempts: 13 },
        attempt: passed + 1,
        heartbeatDetails: { passed },
      };
      ends.push(/until (.*)$/.exec((await failed(elsewhere, { ...few, info })).failure.message)?.[1]);
    }
    expect(ends).toEqual(['1970-01-01T00:16:55Z', '1970-01-01T00:16:45Z']);
  });

  it('is tried for the time that its author says, where attempts have no end', async () => {
    const input = { tries: { ...tries, timeMs: 600_000 } };
    const info = { attempt: 400, heartbeatDetails: { passed: 399 }, retryPolicy: { maximumAttempts: 0 } };
    const { failure } = await failed(elsewhere, { input, info });
    expect(failure.nonRetryable).toBe(false);
    expect(failure.message).toMatch(/until 1970-01-01T00:26:40Z$/);
  });

  it('comes later each time, up to 20 s', async () => {
    const delays = [];
    for (const passed of [0, 1, 4, 20]) {
      const info = { attempt: passed + 1, heartbeatDetails: { passed, spent: 1 } };
      const { failure, beats } = await failed(elsewhere, { info: info });
      delays.push(Number(failure.nextRetryDelay));
      expect(beats).toEqual([{ passed: passed + 1, spent: 1 }]);
    }
    const [first = 0, second = 0, fifth = 0, late = 0] = delays;
    expect(first).toBeGreaterThanOrEqual(187);
    expect(first).toBeLessThanOrEqual(313);
    expect(second).toBeLessThanOrEqual(469);
    expect(fifth).toBeGreaterThanOrEqual(949);
    expect(late).toBeGreaterThanOrEqual(15_000);
    expect(late).toBeLessThanOrEqual(25_000);
  });

  it.each<[string, OtherWorkers, Parameters<typeof failed>[1]]>([
    ['no other worker polls', alone, {}],
    ['the hour is over', elsewhere, { info: { currentAttemptScheduledTimestampMs: 4_600_000 } }],
    ['the time of its author is over', elsewhere, { input: { tries: { ...tries, timeMs: 100 } } }],
    ['the server tries no more', elsewhere, { info: { attempt: 210 } }],
    ['it is done once alone', elsewhere, { info: { retryPolicy: { maximumAttempts: 1 } }, input: {} }],
    [
      'attempts are left for where it can be done',
      elsewhere,
      { info: { attempt: 9, heartbeatDetails: { passed: 8 }, retryPolicy: { maximumAttempts: 20 } } },
    ],
  ])('fails for good where %s', async (_when, use, given) => {
    const { failure, beats } = await failed(use, given);
    expect(failure).toMatchObject({ type: 'missing_key', nonRetryable: true });
    expect(failure.message).toBe(`It needs a key, on worker ${process.pid}@${hostname()}`);
    expect(beats).toEqual([]);
  });

  it('is retried beside another worker of the embedded server', async () => {
    expect((await failed(beside)).failure.nonRetryable).toBe(false);
  });

  it('includes tools and the local model, and nothing else', async () => {
    const tool = await failed(elsewhere, { error: lack('tool_failed', { lacking: 'host.pay' }) });
    expect(tool.failure.nonRetryable).toBe(false);
    for (const error of [lack('tool_failed'), lack('unknown_model'), new Error('odd')])
      expect((await failed(elsewhere, { error })).failure).toBe(error);
    const local = lack('missing_package');
    expect((await failed(elsewhere, { error: local, info: { isLocal: true } })).failure).toBe(local);
  });

  it('takes no attempt from those of the call', async () => {
    const info = { ...at, attempt: 12, heartbeatDetails: { passed: 8 } } as Info;
    const isAgain = (heartbeatDetails: JsonObject): Promise<boolean> =>
      new MockActivityEnvironment({ ...info, heartbeatDetails }).run(() =>
        Promise.resolve(isTriedAgain(new Fault('away', { retryable: true }), tries)),
      );
    expect(await isAgain({ passed: 8 })).toBe(true);
    expect(await isAgain({})).toBe(false);
  });
});
