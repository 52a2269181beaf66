import { TactusError } from '../errors.js';
import { usualJsonDepth } from '../json/json.js';

/**
 * Every number that bounds something, once, with its reason. A run takes its limits from its start input, so
 * workers with other defaults replay it the same.
 */
export interface Limits {
  /** VM instructions that run in one go. Temporal kills a workflow task that blocks for 5 s; this is about 0.2 s. */
  sliceInstructions: number;
  /** Instructions past the slice where Lua can't be suspended (a sort comparator, a long pattern match). */
  overdraftInstructions: number;
  /** Instructions between two performed effects. At 15 to 30 million a second, 50 million end well within 5 s. */
  idleInstructions: number;
  /** Instructions that one run may use in all; a replay of the carried log counts again. */
  totalInstructions: number;
  /** Bytes that the Lua values of a run may hold at once. A worker keeps hundreds of runs. */
  memoryBytes: number;
  /** Longest Lua string, in bytes: a payload can hold 2 MiB. */
  stringBytes: number;
  /** Nesting of tables and JSON that crosses the boundary. */
  depth: number;
  /** Largest JSON of one effect, result, state or output: the server refuses payloads over 2 MiB, and the SDK then loops. */
  payloadBytes: number;
  /** Longest error message; the server cuts failures at 4 KiB. */
  errorMessageBytes: number;
  /** Effects that may be open at once; the server allows 2,000 pending activities. */
  openEffects: number;
  /** Procedures calling procedures, deep. */
  callDepth: number;
  /** Events of one execution's history before the run continues as new; the server suggests it at 4,096. */
  historyEvents: number;
  /** Bytes of effects and their results in one execution before the run continues as new; suggested at 4 MiB. */
  historyBytes: number;
  /** Model calls in one agent turn before it fails. */
  turnRounds: number;
  /** Time that one model call may take where its agent says nothing of it (`request_timeout`), in ms. */
  modelTimeoutMs: number;
  /** How often a model call, a prediction or a request is tried before it has failed. */
  attempts: number;
  /** The same where an answer came, and was paid for, but can't be used. */
  answerAttempts: number;
  /** Who answers that it is too busy, and says when to come back, is asked again for so long; in ms. */
  patienceMs: number;
  /** A worker that says nothing of a call for so long is taken for dead, and another one tries; in ms. */
  heartbeatMs: number;
  /** Time that one call of a tool outside of the run may take where nobody says how long; in ms. */
  toolTimeoutMs: number;
  /** How often a tool outside of the run that may be called again is called in all, where nobody says how often. */
  toolAttempts: number;
  /** Characters of a tool's result that a model reads: what is longer would crowd out the conversation. */
  toolResultChars: number;
  /** Items in all slices of a session: a look at a slice reads each of them, and a snapshot writes each. */
  sessionItems: number;
  /** Bytes of a session as JSON: beside the state of a run, it must fit into what a run hands to its next pass. */
  sessionBytes: number;
}

export const defaultLimits: Limits = {
  sliceInstructions: 5_000_000,
  overdraftInstructions: 20_000_000,
  idleInstructions: 50_000_000,
  totalInstructions: 5_000_000_000,
  memoryBytes: 128 * 1024 * 1024,
  stringBytes: 8 * 1024 * 1024,
  depth: usualJsonDepth,
  payloadBytes: 1_500_000,
  errorMessageBytes: 3_000,
  openEffects: 1_000,
  callDepth: 50,
  historyEvents: 4_000,
  historyBytes: 3_000_000,
  turnRounds: 50,
  modelTimeoutMs: 300_000,
  attempts: 10,
  answerAttempts: 3,
  patienceMs: 3_600_000,
  heartbeatMs: 15_000,
  toolTimeoutMs: 60_000,
  toolAttempts: 3,
  toolResultChars: 100_000,
  sessionItems: 10_000,
  sessionBytes: 400_000,
};

/**
 * The most that whoever starts a run may ask for. A run beyond them would hold its worker's thread for longer than a workflow
 * task lasts, need more memory than a worker has for all its runs, or send what the server refuses: it would be stuck.
 */
export const limitCeilings: Limits = {
  sliceInstructions: 20_000_000,
  overdraftInstructions: 40_000_000,
  idleInstructions: 10_000_000_000,
  totalInstructions: 1_000_000_000_000,
  memoryBytes: 512 * 1024 * 1024,
  stringBytes: 32 * 1024 * 1024,
  depth: 200,
  payloadBytes: 1_500_000,
  errorMessageBytes: 3_000,
  openEffects: 1_500,
  callDepth: 100,
  historyEvents: 40_000,
  historyBytes: 30_000_000,
  turnRounds: 10_000,
  modelTimeoutMs: 24 * 3_600_000,
  attempts: 10_000,
  answerAttempts: 1_000,
  patienceMs: 30 * 24 * 3_600_000,
  heartbeatMs: 3_600_000,
  toolTimeoutMs: 30 * 24 * 3_600_000,
  toolAttempts: 10_000,
  toolResultChars: 1_000_000,
  sessionItems: 100_000,
  sessionBytes: 1_000_000,
};

/**
 * Refuses limits that no worker can keep.
 * @throws TactusError input_invalid naming the limit, what it was given, and the most that it may be
 */
export function assertLimits(limits: object = {}): void {
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (value === undefined || value === null) continue;
    if (!isLimit(name)) {
      const names = Object.keys(limitCeilings).join(', ');
      throw new TactusError('input_invalid', `There is no limit ${cut(name)}: limits are ${names}`);
    }
    const most = limitCeilings[name];
    if (typeof value !== 'number' || !(value > 0 && value <= most))
      throw new TactusError(
        'input_invalid',
        `The limit ${name} must be a number above 0 and at most ${most}; it is ${cut(JSON.stringify(value) ?? typeof value)}`,
      );
  }
}

function isLimit(name: string): name is keyof Limits {
  return Object.hasOwn(limitCeilings, name);
}

/** What stands in a message of what was given. */
function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/**
 * `totalInstructions` of a run that says nothing else, and that has to be replayed within one workflow task: the server allows two
 * minutes, in which a machine of 17 million a second is done.
 */
export const replayableInstructions = 2_000_000_000;

/** What may stand in one message: the server refuses 2 MiB, and ends a run, without a word, that starts another with more. */
export const maxInlineBytes = 1_800_000;

/** Child runs of one execution that the server tells of, and requests to end, at once: it refuses 2,000 of either, in every attempt. */
export const maxPendingRuns = 1_500;

/** What is begun in one workflow task goes to the server in one message of at most 4 MiB. */
export const maxTaskBytes = 1_500_000;

/** Source of one file: parsing is one uninterruptible step, and the source travels in the start input. */
export const maxSourceBytes = 512 * 1024;
/** All files of a procedure together: the start request must fit into one gRPC message of 4 MiB. */
export const maxSourcesBytes = 1_500_000;
/** The same with the input, where a store keeps what the server refuses: a run holds all of it in memory. */
export const maxStoredStartBytes = 10_000_000;
