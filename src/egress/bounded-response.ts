import { TactusError } from '../contract/errors.js';
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

/** The end of an event: an empty line, as lines may end. */
const end = /\r\n\r\n|\n\n|\r\r/g;
const longestEnd = 4;

/** Measures a stream of events. Whoever reads it keeps the event that it is in the middle of whole. */
export class EventMeter {
  /** Bytes since the end of the last event. */
  size = 0;
  /** How many have ended. */
  events = 0;
  private tail = '';

  add(piece: Uint8Array): void {
    // An end may be spread over two pieces. In this encoding a character is a byte.
    const seen = this.tail + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    let after = -1;
    for (const found of seen.matchAll(end)) {
      after = found.index + found[0].length;
      this.events++;
    }
    this.size = after === -1 ? this.size + piece.length : seen.length - after;
    // What ended an event ends no second one.
    this.tail = seen.slice(Math.max(after, seen.length - (longestEnd - 1), 0));
  }
}

/** Timers of Node overflow past this and fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The same answer, whose body fails once it is too large, silent for too long, or too slow as a whole. Its connection is closed then.
 * Bytes count as they are read, after they were unpacked, and are read when they are asked for.
 */
export function boundedResponse(
  response: Response,
  bounds: AnswerBounds,
  onCut: (error: unknown) => void = () => undefined,
): Response {
  const { status, statusText, url } = response;
  // The library that asked has classes of its own for these.
  const headers = new Headers([...response.headers]);
  const answer = (body: ReadableStream<Uint8Array> | null): Response =>
    // No constructor takes it, and libraries look at it.
    Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
  const reader = response.body?.getReader();
  if (reader === undefined) return answer(null);
  const meter = meterOf(headers);
  const isEvents = meter !== null;
  const { bytes, streamBytes, events, idleMs, wholeMs } = bounds;
  const most = isEvents ? streamBytes : bytes;
  const endsAt = isEvents ? Infinity : performance.now() + wholeMs;
  let size = 0;
  const next = async (): Promise<Uint8Array | undefined> => {
    const { value: piece } = await inTime(reader.read(), { idleMs, endsAt });
    if (piece === undefined) return undefined;
    size += piece.length;
    if (size > most) throw tooLarge(most);
    meter?.add(piece);
    if (meter !== null && meter.size > bytes) throw tooLarge(bytes);
    if (meter !== null && meter.events > events) throw tooMany(events);
    return piece;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await next();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        } catch (error) {
          controller.error(error);
          if (error instanceof TactusError || error instanceof SilentAnswer) onCut(error);
          await reader.cancel(error).catch(() => undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason).catch(() => undefined),
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  );
  return answer(body);
}

function meterOf(headers: Headers): EventMeter | null {
  const isEvents = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  return isEvents ? new EventMeter() : null;
}

function tooLarge(limit: number): TactusError {
  return new TactusError(
    'payload_too_large',
    `The answer is larger than ${limit} bytes, the most that is read`,
    {
      limit,
    },
  );
}

function tooMany(limit: number): TactusError {
  return new TactusError(
    'payload_too_large',
    `The answer has more than ${limit} events, the most that are read`,
    { limit },
  );
}

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

/** @throws SilentAnswer where nothing comes in time */
async function inTime(
  reading: Promise<Read>,
  { idleMs, endsAt }: { idleMs: number; endsAt: number },
): Promise<Read> {
  const leftMs = Math.max(0, endsAt - performance.now());
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new SilentAnswer(idleMs < leftMs ? idleMs : null));
    timer = setTimeout(giveUp, Math.min(idleMs, leftMs, longestTimerMs));
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An answer was begun and didn't come to its end in time. */
export class SilentAnswer extends Error {
  override readonly name = 'SilentAnswer';

  /** @param idleMs how long nothing came; null: pieces came, too slowly */
  constructor(idleMs: number | null) {
    super(
      idleMs === null
        ? 'began an answer that has no end: its bytes come too slowly'
        : `began an answer, and then sent nothing for ${idleMs / 1_000} s`,
    );
  }
}
