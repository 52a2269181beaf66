import { afterAll, beforeAll, expect, it } from 'vitest';
import { grpcErrorOf } from '../../src/client/runs/run-errors.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import type { JsonValue } from '../../src/contract/json/json.js';
import { answerRequests } from '../support/answer-requests.js';
import type { History } from '../support/histories.js';
import { historiesBelow } from '../support/histories-below.js';
import { replayHistories } from '../support/replay-histories.js';
import { someOf } from '../support/sampled.js';
import { keptAnswer } from './kept-answer.js';
import { keptProcedures, type KeptProcedure } from './kept-procedures.js';
import { nameOf, openKeptStage, type KeptStage } from './kept-stage.js';

/**
 * How many procedures are looked at, and by which seed they are chosen. All of them, in some minutes:
 * `LOOKED_AT=all npm test -- test/replay/looked-at`.
 */
const seed = process.env['LOOKED_AT'] ?? '1';
const sampled = 5;

/** What these do depends on chance, or on what comes first. */
const free = ['long-haul.tac', 'small-slices.tac', 'retries.tac'];
const deadlineExceeded = 4;
/** Those that go one way: what a scene does depends on when it is done. */
const all = keptProcedures.filter(
  ({ entry, before, during, isLarge }) => !before && !during && isLarge !== true && !free.includes(entry),
);
const procedures = seed === 'all' ? all : someOf(all, sampled, Number(seed));

let stage: KeptStage;
beforeAll(async () => {
  stage = await openKeptStage();
});
afterAll(() => stage.close());

/** What a run has come to, without times and ids. */
interface Recorded {
  status: string;
  log: unknown[];
  state: JsonValue;
}

interface Ended {
  run: TactusRun;
  histories: { workflowId: string; history: History }[];
  result: JsonValue;
  recorded: Recorded;
  /** What the workflows of the run and of its child runs commanded. */
  commands: string[];
  looks: number;
}

async function runOne(procedure: KeptProcedure, isLookedAt: boolean): Promise<Ended> {
  const run = await stage.start(procedure, `${nameOf(procedure)}-${isLookedAt ? 'looked-at' : 'alone'}`);
  const answers = answerRequests(stage.server.tactus, run.runId, keptAnswer);
  const looking = isLookedAt ? lookUntilEnded(run) : Promise.resolve(0);
  const result = plain(run, await run.result().catch((error: unknown) => String(error)));
  await answers.stop();
  const looks = await looking;
  const histories = await historiesBelow(stage.server.tactus, run.runId);
  return { run, histories, result, recorded: await recordedOf(run), commands: commandsOf(histories), looks };
}

/** Asks everything that can be asked, all the time. */
async function lookUntilEnded(run: TactusRun): Promise<number> {
  let isOver = false;
  void run.handle.result().then(
    () => (isOver = true),
    () => (isOver = true),
  );
  let looks = 0;
  while (!isOver) {
    const asked = await Promise.allSettled([
      ...[run.status(), run.state(), run.pending(), run.log(), run.shown()],
      run.handle.query('__temporal_workflow_metadata'),
    ]);
    looks += asked.filter(({ status }) => status === 'fulfilled').length;
  }
  return looks;
}

async function recordedOf(run: TactusRun): Promise<Recorded> {
  const [{ status }, log, state] = await Promise.all([
    againIfLost(() => run.status()),
    againIfLost(() => run.log()),
    againIfLost(() => run.state()),
  ]);
  const entries = log.execution_log.map(({ position, type, name, error }) => [
    position,
    type,
    name,
    error === null,
  ]);
  return { status, log: entries.sort(), state: plain(run, state) };
}

/** Of the hundreds of questions to a busy server one is lost now and then, and told so after 30 seconds. */
async function againIfLost<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (grpcErrorOf(error)?.code !== deadlineExceeded) throw error;
    return question();
  }
}

function plain({ runId }: TactusRun, value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll(runId, 'run')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then'),
  ) as JsonValue;
}

/** What was commanded, without an order: that depends on what comes when. What the clock alone asks for isn't counted. */
function commandsOf(histories: readonly { history: History }[]): string[] {
  const byClock = /^"(a long row of local|looks at|until the next look)/;
  return histories
    .flatMap(({ history }) => history.events ?? [])
    .filter(({ userMetadata }) => !byClock.test(Buffer.from(userMetadata?.summary?.data ?? []).toString()))
    .flatMap((event) => [
      event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
      event.timerStartedEventAttributes ? 'timer' : [],
      event.markerRecordedEventAttributes ? markerOf(event.markerRecordedEventAttributes) : [],
      event.startChildWorkflowExecutionInitiatedEventAttributes ? 'child' : [],
      event.upsertWorkflowSearchAttributesEventAttributes ? 'attributes' : [],
      event.workflowExecutionContinuedAsNewEventAttributes ? 'continues as new' : [],
    ])
    .flat()
    .sort();
}

type Marker = NonNullable<NonNullable<History['events']>[number]['markerRecordedEventAttributes']>;

/** A local activity is called as others are: what the worker does at once, any worker does where other things go on. */
function markerOf({ markerName, details }: Marker): string {
  const text = Buffer.from(details?.['data']?.payloads?.[0]?.data ?? []).toString();
  return /"activity_type":"(\w+)"/.exec(text)?.[1] ?? markerName ?? '';
}

it.each(procedures)('$entry goes the same way whether it is looked at or not', async (procedure) => {
  const [alone, lookedAt] = await Promise.all([runOne(procedure, false), runOne(procedure, true)]);
  expect(lookedAt.looks).toBeGreaterThan(0);
  expect(lookedAt.result).toEqual(alone.result);
  expect(lookedAt.recorded).toEqual(alone.recorded);
  expect(lookedAt.commands).toEqual(alone.commands);
  // Nobody looks while it is replayed, and somebody does where nobody did.
  expect(await replayHistories([...alone.histories, ...lookedAt.histories])).toEqual([]);
  await stage.stopWorker();
  await stage.startWorker();
  expect(await recordedOf(alone.run)).toEqual(alone.recorded);
});
