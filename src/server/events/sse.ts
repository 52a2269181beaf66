import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { RequestProblem } from '../problem.js';
import type { ServerEnv } from '../server-env.js';
import type { ServerEvent } from './server-event.js';

const keepAliveMs = 15_000;
/** So long a browser waits before it comes again. */
const retryMs = 1_000;
/** A stream ends after so long at the latest, and whoever wants to go on shows again who he is. */
const longestMs = 3_600_000;

/** Open streams of the server, bounded in number: each holds a connection. */
export class EventStreams {
  private readonly open = new Set<AbortController>();
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
    if (this.isClosed || this.open.size >= this.most)
      throw new RequestProblem(429, 'rate_limited', 'Too many streams are open', undefined, {
        'retry-after': '5',
      });
    const over = new AbortController();
    this.open.add(over);
    const { until } = c.get('identity');
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
    for (const over of this.open) over.abort();
  }
}
