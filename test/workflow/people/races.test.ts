import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Decision } from '../../../src/contract/people/decision.js';
import { eachOf } from '../../fault/each-of.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';

/** How many runs race an approval against a rejection. */
const races = Number(process.env['RACES'] ?? 40);
const atOnce = 10;
/** A fifth of them where the other side is a clock, or a third person. */
const fewer = Math.ceil(races / 5);
const patienceMs = 180_000 + races * 600;

const replayed: Parameters<typeof replayHistories>[0] = [];
const server = serverWithWorker(startDevServer);

/** A run whose last request is still open when its first is decided: late answers meet a run that goes on. */
const source = (ask: string) =>
  procedureOf(`local ok, answer = pcall(Human.approve, {message = "Pay?", ${ask}})
    Human.approve("Done?")
    return {ok = ok, answer = tostring(answer)}`);

interface Race {
  /** What is sent in the very same moment, and what each came to. */
  outcomes: string[];
  output: unknown;
}

async function race(ask: string, sent: (request: string) => Omit<Decision, 'request'>[]): Promise<Race> {
  const run = await server.tactus.start(source(ask));
  const [request] = await pendingOf(run);
  const id = request?.id ?? '';
  const verdicts = await Promise.all(sent(id).map((each) => run.decide({ request: id, ...each })));
  return { outcomes: verdicts.map(({ outcome }) => outcome), output: await ended(run) };
}

async function ended(run: TactusRun): Promise<unknown> {
  const position = (await pendingOf(run)).find(({ message }) => message === 'Done?')?.id;
  await run.decide({ request: position ?? `${run.runId}/1`, value: true });
  const output = await run.result();
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  const rejected = histories
    .flatMap(({ events }) => events ?? [])
    .filter((event) => event.workflowExecutionUpdateRejectedEventAttributes);
  expect(rejected).toEqual([]);
  for (const history of histories) replayed.push({ workflowId: run.runId, history });
  return output;
}

async function runs(count: number, work: (i: number) => Promise<void>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => i);
  await eachOf(numbers, atOnce, async (i) => {
    await work(i);
    return true;
  });
  // All by one worker: each has a workflow bundle of its own.
  expect(await replayHistories(replayed.splice(0))).toEqual([]);
}

it(
  'approve against reject: one counts, and the other is told so',
  async () => {
    await runs(races, async (i) => {
      const both = [
        { value: true, by: 'ann' },
        { value: false, by: 'bob' },
      ];
      const { outcomes, output } = await race('', () => (i % 2 === 0 ? both : both.toReversed()));
      expect([...outcomes].sort()).toEqual(['accepted', 'late']);
      const [first] = i % 2 === 0 ? both : both.toReversed();
      const winner = outcomes[0] === 'accepted' ? first?.value : first?.value !== true;
      expect(output).toEqual({ ok: true, answer: String(winner) });
    });
  },
  patienceMs,
);

it(
  'an answer against the end of the time: what counted is what the procedure has',
  async () => {
    await runs(fewer, async (i) => {
      const run = await server.tactus.start(source('timeout = 1, default = false'));
      const [request] = await pendingOf(run);
      const left = Date.parse(request?.deadline ?? '') - Date.now();
      await delay(Math.max(0, left + (i % 10) * 10 - 50));
      const { outcome } = await run.decide({ request: request?.id ?? '', value: true });
      expect(['accepted', 'late']).toContain(outcome);
      expect(await ended(run)).toEqual({ ok: true, answer: String(outcome === 'accepted') });
    });
  },
  patienceMs,
);

it(
  'two who agree against whoever takes the request back: one or the other',
  async () => {
    await runs(fewer, async (i) => {
      const all: Omit<Decision, 'request'>[] = [
        { value: true, by: 'ann' },
        { value: true, by: 'bob' },
        { value: null, action: 'withdraw', by: 'zoe' },
      ];
      const order = [...all.slice(i % 3), ...all.slice(0, i % 3)];
      const { outcomes, output } = await race('quorum = 2, requester = "zoe"', () => order);
      const isTaken = outcomes[order.findIndex(({ action }) => action === 'withdraw')] === 'accepted';
      const votes = outcomes.filter((_, at) => order[at]?.action === undefined);
      if (isTaken) {
        expect(votes).toContain('late');
        expect(output).toMatchObject({
          ok: false,
          answer: expect.stringContaining('took the request back') as string,
        });
      } else {
        expect(votes).toEqual(['accepted', 'accepted']);
        expect(output).toEqual({ ok: true, answer: 'true' });
      }
    });
  },
  patienceMs,
);
