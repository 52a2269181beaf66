import { defaultLimits } from '../contract/runs/limits.js';

/** How much of one answer is read, and for how long. A worker reads hundreds at once, each from a place that may mean harm. */
export interface AnswerBounds {
  /** Bytes of the whole answer, unpacked; of one event where it is a stream of events. */
  bytes: number;
  /** Bytes of all events of a stream. */
  streamBytes: number;
  /** How many events a stream may have: small ones cost whoever reads them more time than room. */
  events: number;
  /** Longest silence within an answer, in ms. */
  idleMs: number;
  /** Time from its head to its end, in ms; streams of events take as long as whoever reads them says. */
  wholeMs: number;
}

const mebibyte = 1024 * 1024;
const minute = 60_000;

/** JSON may come with white space that isn't recorded; past twice the limit nothing that fits can be in it. */
export const exchangeBounds: AnswerBounds = {
  bytes: 2 * defaultLimits.payloadBytes,
  streamBytes: 2 * defaultLimits.payloadBytes,
  events: Infinity,
  idleMs: 5 * minute,
  wholeMs: Infinity,
};

/**
 * A token of a stream takes some 300 bytes: the longest answers that models give are 128,000 tokens. Some providers keep a slow
 * answer open with white space, so its own timeout alone says when it is over.
 */
export const modelBounds: AnswerBounds = {
  bytes: 16 * mebibyte,
  streamBytes: 64 * mebibyte,
  events: Infinity,
  idleMs: 5 * minute,
  wholeMs: Infinity,
};

/** Results of all calls of a batch come as one file. */
export const batchBounds: AnswerBounds = { ...modelBounds, bytes: 128 * mebibyte };

/** Results and tasks, and what an agent says while it works: an event for each word, often. */
export const agentBounds: AnswerBounds = {
  bytes: 4 * defaultLimits.payloadBytes,
  streamBytes: 4 * 4 * defaultLimits.payloadBytes,
  events: 100_000,
  idleMs: 5 * minute,
  wholeMs: 5 * minute,
};

/** Lists of tools, results, and how far a call is. */
export const toolBounds: AnswerBounds = { ...agentBounds, events: 20_000 };

/** Payloads of one question: those that the server refuses for their size are kept elsewhere, and come here all the same. */
export const codecBounds: AnswerBounds = {
  bytes: 64 * mebibyte,
  streamBytes: 64 * mebibyte,
  events: Infinity,
  idleMs: 5_000,
  wholeMs: 10_000,
};

/** Few words of whoever takes a message, or keys of an issuer. */
export const shortBounds: AnswerBounds = {
  bytes: mebibyte,
  streamBytes: mebibyte,
  events: Infinity,
  idleMs: 10_000,
  wholeMs: 30_000,
};
