import { TactusError } from '../contract/errors.js';
import type { AnswerBounds } from './answer-bounds.js';
import { SilentAnswer } from './silent-answer.js';

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
