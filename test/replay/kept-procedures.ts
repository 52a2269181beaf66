import { fileURLToPath } from 'node:url';
import { defaultTaskQueue } from '../../src/contract/names.js';
import type { JsonObject } from '../../src/contract/json/json.js';
import type { StartInput } from '../../src/contract/runs/start-input.js';
import type { RunStatus } from '../../src/contract/runs/run-view.js';
import {
  cancelWithEverythingOpen,
  cancelUnseen,
  decideEarly,
  decideInBursts,
  decideWhileFilesAreRead,
  decideWhileNobodyWorks,
  sendEvents,
  steerAgents,
  steerWhileAsked,
  startElsewhere,
  stopTheWorker,
  terminateGone,
  workInPython,
  type KeptScene,
} from './kept-scenes.js';
import { keptPolicy } from './kept-tools.js';

export interface KeptProcedure {
  folder: string;
  entry: string;
  input: (endpoint: string) => JsonObject;
  /** What else the run is started with. */
  start?: Omit<StartInput, 'input' | 'source' | 'procedure'>;
  /** The worker's folder has the source. */
  isByName?: true;
  /** Time of a workflow task, where it isn't the server's. */
  taskTimeout?: '1s';
  /** How it ends; left out: it completes. */
  ends?: RunStatus;
  /** What happens before it is started, and beside the people who answer. */
  before?: (scene: KeptScene) => Promise<void>;
  during?: (scene: KeptScene) => Promise<void>;
  /** The version that runs it first: others have no history of it. Left out: all versions that are kept do. */
  since?: string;
  /** The history is kept compressed. */
  isLarge?: true;
}

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const swept = fileURLToPath(new URL('../fault/procedures', import.meta.url));
const own = fileURLToPath(new URL('procedures', import.meta.url));

const nothing = (): JsonObject => ({});
const endpoint = (url: string): JsonObject => ({ endpoint: url });
const after = (historyEvents: number): Pick<KeptProcedure, 'start'> => ({
  start: { limits: { historyEvents } },
});
const next = { since: '0.10.0' };
const failed = { ends: 'failed' } as const;
const cancelled = { ends: 'cancelled' } as const;

/** Every example, what the kill sweep and the long run use, and one for each way of a run: their histories are kept. */
export const keptProcedures: KeptProcedure[] = [
  { folder: examples, entry: 'approval.tac', input: nothing },
  { folder: examples, entry: 'joke.tac', input: () => ({ topic: 'a dog' }) },
  { folder: examples, entry: 'review-triage.tac', input: nothing },
  { folder: examples, entry: 'release.tac', input: nothing },
  { folder: examples, entry: 'translations.tac', input: nothing },
  {
    folder: own,
    entry: 'outside-tools.tac',
    input: nothing,
    start: { settings: { toolPolicy: keptPolicy } },
  },
  { folder: own, entry: 'bounded.tac', input: nothing, ...after(60) },
  {
    folder: own,
    entry: 'steered.tac',
    input: nothing,
    start: { settings: { modelQueues: { openai: defaultTaskQueue } }, limits: { historyEvents: 60 } },
    during: steerAgents,
  },
  { folder: own, entry: 'together.tac', input: nothing, ...after(40) },
  {
    folder: own,
    entry: 'asked-budgets.tac',
    input: nothing,
    start: { settings: { modelCalls: 4 }, limits: { historyEvents: 20 } },
    during: steerWhileAsked,
  },
  { folder: own, entry: 'decided-early.tac', input: nothing, during: decideEarly },
  { folder: own, entry: 'much-lua.tac', input: nothing, taskTimeout: '1s' },
  { folder: swept, entry: 'order-answer.tac', input: () => ({ order: 'A7' }) },
  { folder: swept, entry: 'side-by-side.tac', input: endpoint },
  { folder: swept, entry: 'plan-and-publish.tac', input: (url) => ({ endpoint: url, folder: 'plans' }) },
  { folder: swept, entry: 'spawned-parts.tac', input: endpoint },
  { folder: swept, entry: 'transaction.tac', input: nothing, ...next, ...after(20) },
  { folder: swept, entry: 'long-haul.tac', input: () => ({ rounds: 3, branches: 5 }), ...after(60) },
  { folder: own, entry: 'slices.tac', input: nothing },
  {
    folder: own,
    entry: 'small-slices.tac',
    input: endpoint,
    start: { limits: { historyEvents: 80, sliceInstructions: 2_000 } },
  },
  { folder: own, entry: 'requests.tac', input: endpoint },
  { folder: own, entry: 'unanswered.tac', input: nothing },
  {
    folder: own,
    entry: 'family.tac',
    input: () => ({ elsewhere: 'elsewhere' }),
    before: startElsewhere,
  },
  { folder: own, entry: 'fails-late.tac', input: endpoint, ...failed },
  { folder: own, entry: 'fails-by-child.tac', input: nothing, ...failed },
  { folder: own, entry: 'fails-by-file.tac', input: nothing, ...failed },
  { folder: own, entry: 'fails-by-model.tac', input: endpoint, ...failed },
  {
    folder: own,
    entry: 'endless.tac',
    input: nothing,
    start: { limits: { idleInstructions: 9_000_000 } },
    ...failed,
  },
  { folder: own, entry: 'cancelled.tac', input: endpoint, during: cancelWithEverythingOpen, ...cancelled },
  {
    folder: own,
    entry: 'cancelled-unseen.tac',
    input: nothing,
    before: stopTheWorker,
    during: cancelUnseen,
    ...cancelled,
  },
  { folder: own, entry: 'timeouts.tac', input: nothing },
  { folder: own, entry: 'bursts.tac', input: nothing, during: decideInBursts },
  { folder: own, entry: 'pile-up.tac', input: endpoint, during: decideWhileNobodyWorks, ...after(60) },
  { folder: own, entry: 'events.tac', input: nothing, during: sendEvents, ...after(30) },
  { folder: own, entry: 'given-up.tac', input: endpoint },
  { folder: own, entry: 'branches.tac', input: endpoint },
  { folder: own, entry: 'retries.tac', input: endpoint },
  { folder: own, entry: 'predictions.tac', input: endpoint },
  { folder: own, entry: 'served.tac', input: nothing, ...after(20) },
  { folder: own, entry: 'python.tac', input: nothing, during: workInPython, ...after(10) },
  { folder: own, entry: 'agents.tac', input: () => ({ shop: 'tea' }), ...after(40) },
  { folder: own, entry: 'conversations.tac', input: nothing, ...after(40) },
  { folder: own, entry: 'questions.tac', input: nothing, ...after(40) },
  {
    folder: own,
    entry: 'marked.tac',
    input: nothing,
    start: { searchAttributes: true, limits: { historyEvents: 20 } },
  },
  { folder: own, entry: 'carried.tac', input: endpoint, during: terminateGone, ...after(60) },
  { folder: own, entry: 'super-steps.tac', input: endpoint, ...next, ...after(60) },
  { folder: own, entry: 'plans.tac', input: nothing, ...next, ...after(20) },
  { folder: own, entry: 'races.tac', input: nothing, ...next, ...after(20) },
  { folder: own, entry: 'again.tac', input: nothing, ...next, ...after(20) },
  { folder: own, entry: 'by-name.tac', input: () => ({ who: 'you' }), isByName: true, ...after(8) },
  {
    folder: own,
    entry: 'one-task.tac',
    input: nothing,
    start: { task: 'second', limits: { historyEvents: 8 } },
  },
  {
    folder: own,
    entry: 'slow-files.tac',
    input: nothing,
    taskTimeout: '1s',
    start: { searchAttributes: true },
    during: decideWhileFilesAreRead,
  },
  {
    folder: own,
    entry: 'large-start.tac',
    input: () => ({ text: 'x'.repeat(1_850_000) }),
    isLarge: true,
    ...after(10),
  },
];
