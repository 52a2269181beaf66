import type { StoredEvent, StreamEvent } from '../contract/streams/stream-event.js';

/** Where workers put what their agents say. */
export interface StreamPublisher {
  /**
   * Adds an event to its run's stream, after all that this worker has added before. Never throws and never waits: whoever looks on must not cost an
   * answer.
   * @param id an event that was added under this id before isn't added again
   */
  publish(event: StreamEvent, id?: string): void;
  /** Resolves when what was published so far can be read, or after so many ms. */
  flushed(withinMs: number): Promise<void>;
}

/** How a stream is read. */
export interface ReadOptions {
  /** The offset of the last event that is known: those after it are given; left out, all that are kept. */
  after?: number;
  /** When it resolves, what is there by then is given, and that is the end; left out: it is followed for ever. */
  until?: Promise<unknown>;
  /** Ends it at once. */
  signal?: AbortSignal;
}

export interface StreamReader {
  /** The events of a run in their order, the same for whoever reads; each once. A broker that goes and comes back is waited for. */
  read(runId: string, options?: ReadOptions): AsyncIterable<StoredEvent>;
}

/** The streams of runs: events of agents, from workers to any number of readers. */
export interface RunStreams extends StreamPublisher, StreamReader {
  /** What can't be handed on within a few seconds is lost. */
  close(): Promise<void>;
}
