import { beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { TactusError } from '../../../src/contract/errors.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { activityAttempts } from '../../support/activity-attempts.js';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { procedureSource } from '../../support/procedure-source.js';
import {
  startProviderStandIn,
  type Answer,
  type ProviderRequest,
  type ProviderStandIn,
} from '../../support/provider-stand-in.js';
import { startSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { broken } from './faulty-answers/broken.js';
import { linesOf } from './faulty-answers/conversation.js';
import type { Asked, FaultyAnswer } from './faulty-answers/faulty-answer.js';
import { protocols } from './faulty-answers/protocols.js';
import { tooBusy } from './faulty-answers/too-busy.js';
import { toolCalls } from './faulty-answers/tool-calls.js';
import { unwanted } from './faulty-answers/unwanted.js';

interface Case {
  runId: string;
  fault: FaultyAnswer;
  asked: Asked;
}

const faults = [...tooBusy, ...broken, ...toolCalls, ...unwanted];
const ways: Asked[] = protocols.flatMap((protocol) =>
  [false, true].map((isStreamed) => ({ protocol, isStreamed })),
);
const wayOf = ({ protocol, isStreamed }: Asked): string =>
  `${protocol.name}${isStreamed ? ', streamed' : ''}`;
const cases = faults.flatMap((fault, index) =>
  ways
    .filter((asked) => fault.where?.(asked) ?? true)
    .map((asked): Case => ({ runId: `${index}-${wayOf(asked).replace(/\W+/g, '-')}`, fault, asked })),
);

/** What is left to answer to each run. */
const answers = new Map<string, Answer[]>();
const ends = new Map<string, Promise<Ended>>();
let server: TestServer;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startSkippingServer();
  provider = await startProviderStandIn();
  provider.reply(
    (request) =>
      answers.get(runOf(request))?.shift() ?? {
        status: 400,
        body: { error: { message: 'no more answers' } },
      },
  );
  const env = {
    ...{ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` },
    ...{ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: provider.url },
  };
  const workers: TestWorker[] = [
    await startWorker(server, { taskQueue: 'whole', activities: { env } }),
    await startWorker(server, { taskQueue: 'streamed', activities: { env, onText: () => undefined } }),
  ];
  for (const each of cases) if (!each.fault.isTimed) ends.set(each.runId, runToEnd(each));
  const others = Promise.allSettled(ends.values());
  for (const each of cases)
    if (each.fault.isTimed)
      ends.set(
        each.runId,
        others.then(() => runToEnd(each)),
      );
  const all = Promise.allSettled(ends.values());
  return async () => {
    await all;
    for (const worker of workers) await worker.stop();
    await provider.close();
    await server.stop();
  };
});

interface Ended {
  end: { result: JsonValue } | { code: string; message: string };
  histories: History[];
  /** Of each call of the model. */
  checkpoints: number;
  tokens: [number, number];
}

async function runToEnd({ runId, fault, asked }: Case): Promise<Ended> {
  answers.set(runId, fault.answers(asked));
  const source = procedureSource(`
    lookup = Tool {
      description = "Looks an order up",
      input = { id = field.integer{required = true} },
      function(args) return "Order " .. args.id .. " is late" end,
    }
    helper = Agent { ${asked.protocol.agent}, system_prompt = "Be brief.", ${fault.agent ?? ''} }
    Procedure { function() return helper("Where is order 7?").output end }`);
  const taskQueue = asked.isStreamed ? 'streamed' : 'whole';
  const tactus = new TactusClient(server.client, { taskQueue, searchAttributes: false });
  const run = await tactus.start(source, {}, { runId });
  const end = await run.result().then(
    (result) => ({ result }),
    (error: unknown) => {
      if (!(error instanceof TactusError)) throw error;
      return { code: error.code, message: error.message };
    },
  );
  const { usage } = await run.status();
  const { execution_log: log } = await run.log();
  return {
    end,
    histories: await historiesOf(server.client, runId),
    checkpoints: log.filter(({ type }) => type === 'model_call').length,
    tokens: [usage.input_tokens, usage.output_tokens],
  };
}

function keyOf({ headers }: ProviderRequest): string {
  return String(headers['idempotency-key']);
}

function runOf(request: ProviderRequest): string {
  return keyOf(request).split('/')[0] ?? '';
}

/** Requests of a run by their idempotency keys: each call of the model has its own, and its attempts have the same. */
function callsOf(runId: string): Map<string, ProviderRequest[]> {
  const calls = new Map<string, ProviderRequest[]>();
  for (const request of provider.requests)
    if (runOf(request) === runId) calls.set(keyOf(request), [...(calls.get(keyOf(request)) ?? []), request]);
  return calls;
}

/** Server time from when the first activity was scheduled to its last attempt, in seconds. */
function waited([history]: History[]): number {
  const seconds = (event: { eventTime?: { seconds?: unknown } | null } | undefined): number =>
    Number(event?.eventTime?.seconds);
  const events = history?.events ?? [];
  const scheduled = events.find((event) => event.activityTaskScheduledEventAttributes);
  const started = events.find(
    ({ activityTaskStartedEventAttributes: of }) =>
      of && String(of.scheduledEventId) === String(scheduled?.eventId),
  );
  return seconds(started) - seconds(scheduled);
}

describe.each(ways.map((way) => ({ name: wayOf(way), way })))('$name', ({ way }) => {
  const own = cases.filter(({ asked }) => asked === way).map((each) => ({ ...each, name: each.fault.name }));

  it.each(own)('$name', async ({ runId, fault, asked }) => {
    const { end, histories, checkpoints, tokens } = (await ends.get(runId)) as Ended;
    const expected = fault.ends(asked);
    if ('code' in expected && expected.message instanceof RegExp)
      expect(end).toEqual({ ...expected, message: expect.stringMatching(expected.message) as string });
    else expect(end).toEqual(expected);
    expect(failedTasks(histories)).toEqual([]);

    const calls = callsOf(runId);
    expect([...calls.values()].map((attempts) => attempts.length)).toEqual(fault.attempts);
    const attempts = activityAttempts(histories);
    expect([...attempts.keys()].sort()).toEqual([...calls.keys()].sort());
    for (const [key, { length }] of calls) {
      // Each attempt asks once at most: one that a busy machine held up until its time was over has not asked.
      expect(attempts.get(key)).toBeGreaterThanOrEqual(length);
      expect(attempts.get(key)).toBeLessThanOrEqual(length + 1);
    }
    expect(checkpoints).toBe(fault.attempts.length);
    for (const [first, ...again] of calls.values())
      for (const { path, body } of again)
        expect({ path, body }).toEqual({ path: first?.path, body: first?.body });

    const [opening = [], ...others] = [...calls.values()].map(([first]) =>
      linesOf(asked.protocol.said(first?.body ?? {})),
    );
    expect(opening).toEqual(['system: Be brief.', 'user: Where is order 7?']);
    const told = fault.told?.(asked) ?? [];
    expect(others).toEqual(told.map((_, i) => [...opening, ...told.slice(0, i + 1).flat()]));

    const paid = fault.paid?.(asked) ?? 1;
    expect(tokens).toEqual([10 * paid, 5 * paid]);
    if (fault.waits !== undefined) {
      const [shortest, longest] = fault.waits;
      expect(waited(histories)).toBeGreaterThanOrEqual(shortest);
      expect(waited(histories)).toBeLessThan(longest);
    }
  });
});
