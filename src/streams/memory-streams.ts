import type { StoredEvent, StreamEvent } from '../contract/streams/stream-event.js';
import type { ReadOptions, RunStreams } from './run-streams.js';

/** So many runs are kept, those of which nothing was heard for longest are dropped. */
const mostRuns = 500;
/** So many events of each: those who come later begin with the oldest that is left. */
const mostEvents = 20_000;

interface Stream {
  events: StoredEvent[];
  /** Of the next event. */
  next: number;
  ids: Set<string>;
  /** Who waits for more. */
  waiting: Set<() => void>;
}

/** Streams within one process: a worker, and those who look on beside it. */
export class MemoryStreams implements RunStreams {
  private readonly streams = new Map<string, Stream>();

  publish(event: StreamEvent, id?: string): void {
    const stream = this.of(event.run_id);
    if (id !== undefined && stream.ids.has(id)) return;
    if (id !== undefined) stream.ids.add(id);
    stream.events.push({ offset: stream.next++, event });
    if (stream.events.length > mostEvents) stream.events.splice(0, stream.events.length - mostEvents);
    for (const wake of stream.waiting) wake();
    stream.waiting.clear();
  }

  flushed(): Promise<void> {
    return Promise.resolve();
  }

  async *read(runId: string, { after = 0, until, signal }: ReadOptions = {}): AsyncGenerator<StoredEvent> {
    let isLast = false;
    const stream = this.of(runId);
    const wake = (): void => {
      for (const each of stream.waiting) each();
      stream.waiting.clear();
    };
    const ended = (): void => {
      isLast = true;
      wake();
    };
    until?.then(ended, ended);
    signal?.addEventListener('abort', wake);
    let last = after;
    try {
      while (signal?.aborted !== true) {
        // Offsets follow each other; of what was dropped, the oldest that is left is next.
        const [first] = stream.events;
        const found = stream.events[Math.max(0, last + 1 - (first?.offset ?? 0))];
        if (found !== undefined) {
          last = found.offset;
          yield found;
        } else if (isLast) return;
        else await new Promise<void>((resolve) => stream.waiting.add(resolve));
      }
    } finally {
      signal?.removeEventListener('abort', wake);
    }
  }

  close(): Promise<void> {
    this.streams.clear();
    return Promise.resolve();
  }

  private of(runId: string): Stream {
    const known = this.streams.get(runId);
    const stream = known ?? { events: [], next: 1, ids: new Set(), waiting: new Set() };
    this.streams.delete(runId);
    this.streams.set(runId, stream);
    for (const [id, { waiting }] of this.streams) {
      if (this.streams.size <= mostRuns) break;
      if (waiting.size === 0) this.streams.delete(id);
    }
    return stream;
  }
}
