import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { RequestProblem } from '../http/problem.js';
import type { ServerEnv } from '../server-env.js';
import type { ServerEvent } from './run-events.js';

const keepAliveMs = 15_000;
/** So long a browser waits before it comes again. */
const retryMs = 1_000;
/** A stream ends after so long at the latest, and whoever wants to go on shows again who he is. */
const longestMs = 3_600_000;

/** One identity may have this part of all streams open. */
const partOfOne = 1 / 10;

/**
 * Open streams of the server, bounded in number, of each identity too: each holds a connection.
 *
 * Owns: the open streams, and whose each is.
 * Asks: nobody.
 * Invariants:
 *  1. At most `most` streams are open, and of one named identity at most a tenth of that (one at least).
 *  2. A stream ends with its work, its reader, its token, the server, or after an hour.
 *  3. After `close` none is opened.
 */
export class EventStreams {
  /** Whose each is; null: of somebody who has proved no name. */
  private readonly open = new Map<AbortController, string | null>();
  private isClosed = false;

  constructor(private readonly most: number) {}

  /**
   * Answers with events until they end, the reader leaves, its token expires or the server stops.
   * @param work sends events until it is done; it isn't waited for beyond `signal`
   */
  answer(
    c: Context<ServerEnv>,
    work: (send: (event: ServerEvent) => Promise<void>, signal: AbortSignal) => Promise<void>,
    onTrouble: (problem: string) => void,
  ): Response {
    // Whoever only asks whether it is there reads nothing, and would never leave.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
    const { until, name } = c.get('identity');
    if (this.isClosed || this.open.size >= this.most) throw tooMany('Too many streams are open');
    if (name !== null && this.openOf(name) >= Math.max(1, Math.floor(this.most * partOfOne)))
      throw tooMany('You have too many streams open');
    const over = new AbortController();
    this.open.set(over, name);
    const longest = Math.min(longestMs, until - Date.now());
    c.header('x-accel-buffering', 'no');
    return streamSSE(c, async (stream) => {
      stream.onAbort(() => over.abort());
      const end = setTimeout(() => over.abort(), longest);
      const beat = setInterval(() => void stream.write(': \n\n'), keepAliveMs);
      try {
        await stream.write(`retry: ${retryMs}\n\n`);
        await work(async ({ event, id, data }) => {
          if (over.signal.aborted) return;
          await stream.writeSSE({ event, data: JSON.stringify(data), ...(id === undefined ? {} : { id }) });
        }, over.signal);
      } catch (error) {
        // The answer has begun: its end is all that can be told.
        if (!over.signal.aborted) onTrouble(`a stream of events: ${String(error)}`);
      } finally {
        clearTimeout(end);
        clearInterval(beat);
        over.abort();
        this.open.delete(over);
      }
    });
  }

  close(): void {
    this.isClosed = true;
    for (const over of this.open.keys()) over.abort();
  }

  private openOf(name: string): number {
    return [...this.open.values()].filter((each) => each === name).length;
  }
}

function tooMany(message: string): RequestProblem {
  return new RequestProblem(429, 'rate_limited', message, undefined, { 'retry-after': '5' });
}
