/** Names that people and programs outside of this package use to start, answer and query runs. Never rename one. */
export const workflowType = 'tactus';
/** What is done to dead letters. */
export const deadLetterType = 'tactusDeadLetter';
/** Of the workflow that starts the next turn of a thread. */
export const turnType = 'tactusTurn';
/** Of the workflow that keeps the versions of a published procedure, and of the one that keeps the source of a version. */
export const publishedType = 'tactusPublished';
export const publishedSourceType = 'tactusPublishedSource';
/** Of the workflow that keeps the holds of a namespace. */
export const holdsType = 'tactusHolds';
/** Of the workflow that keeps the scores of a run. */
export const scoresType = 'tactusScores';
/** Of the workflow that looks at a build before it is given runs. */
export const gateType = 'tactusGate';
export const defaultTaskQueue = 'tactus';
/** By this name clients of Temporal's are seen to have our plugin. */
export const pluginName = 'tactus-temporal';

export const signalNames = {
  decide: 'decide',
  childClosed: 'tactus_child_closed',
  knock: 'tactus_knock',
  /** Ends a run at once that is cancelling. */
  cancelNow: 'tactus_cancel_now',
  /** A version was made of the source that the workflow keeps. */
  keepSource: 'tactus_keep_source',
  /** Calls of a run wait for a hold, or don't any more. */
  held: 'tactus_held',
  /** They may begin. */
  released: 'tactus_released',
} as const;
/** Type of the failure by which an Update is turned away for a moment: whoever sent it sends it again. */
export const busyType = 'busy';
/** What Temporal's history says of a task that begins anew, and whoever asked the run meanwhile is told. */
export const aheadMessage = 'The run is ahead of its history: the workflow task begins anew';
export const updateNames = {
  decide: 'decide',
  upgrade: 'upgrade',
  rewind: 'rewind',
  publish: 'tactus_publish',
  hold: 'tactus_hold',
  score: 'tactus_score',
  pause: 'pause',
  unpause: 'unpause',
} as const;
export const queryNames = {
  status: 'status',
  log: 'log',
  /** The whole log, compressed; empty where even so it is too large for an answer. */
  packedLog: 'log_packed',
  /** The log as a run hands it to itself, compressed; empty where it is too large for an answer. */
  packedCheckpoints: 'checkpoints_packed',
  /** The same in pages, each a compressed log; behind the last one they are empty. */
  checkpoints: 'checkpoints',
  /** What the run began with, compressed; empty where it is too large for an answer. */
  started: 'started',
  /** What people have done for it and no checkpoint has, compressed; empty where it is too large for an answer. */
  handed: 'handed',
  /** The change that waits for its proof, and what is open meanwhile, compressed; empty where it is too large for an answer. */
  change: 'change',
  state: 'state',
  /** Its plan, its slices and its snapshots. */
  session: 'session',
  pending: 'pending',
  output: 'printed',
  verdict: 'verdict',
  /** Messages of a model call that is open, for the worker that makes it. */
  conversation: 'conversation',
  /** What a run that is tested has noticed. */
  observed: 'observed',
} as const;

/** Global of the workflow code in workers that mirror their runs: true, or `replays` where replays tell of themselves too. */
export const mirrorFlag = 'tactusMirrors';

/** Global of the workflow code in workers that keep what a run answers last in an index. */
export const lastAnswersFlag = 'tactusKeepsAnswers';

/** Global of the workflow code in workers that have metrics. */
export const metricsFlag = 'tactusMetrics';

/** Global of the workflow code in workers whose failures are encoded by a payload codec. */
export const encodedFailuresFlag = 'tactusEncodesFailures';

/** Search attributes. They are left out where the namespace doesn't know them. */
export const searchAttributeNames = {
  procedure: 'TactusProcedure',
  status: 'TactusStatus',
  labels: 'TactusLabels',
  forkedFrom: 'TactusForkedFrom',
} as const;

export const searchAttributeTypes: Readonly<Record<string, 'Keyword' | 'KeywordList'>> = {
  [searchAttributeNames.procedure]: 'Keyword',
  [searchAttributeNames.status]: 'Keyword',
  [searchAttributeNames.labels]: 'KeywordList',
  [searchAttributeNames.forkedFrom]: 'Keyword',
};
