import type { Consumer, ConsumerMessages, JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { streamsVariable, type Environment } from '../contract/environment.js';
import { loadPackage } from '../contract/load-package.js';
import type { StoredEvent, StreamEvent } from '../contract/streams/stream-event.js';
import { Outbox } from './outbox.js';
import type { ReadOptions, RunStreams } from './run-streams.js';

export interface NatsOptions {
  /** `nats://127.0.0.1:4222`, with the user and password or the token in it where the server wants them. */
  servers: string | string[];
  /** How long events are kept, in ms; left out: a day. */
  keepMs?: number;
  /** Name of the stream in JetStream, and first part of its subjects; left out: `tactus`. */
  stream?: string;
  /** Told of a broker that doesn't take what it is sent; it is tried until it does. */
  onTrouble?: (error: unknown) => void;
}

const dayMs = 86_400_000;
/** An event that is sent twice within this is kept once. */
const duplicateWindowMs = 120_000;
const closeMs = 5_000;
/** A broker that was killed says nothing: what it may not have taken is sent again soon. */
const acknowledgeMs = 1_000;
/** So long an end is waited for that a worker still has to send, after its run has ended. */
const tailMs = 15_000;
const retryMs = 250;

interface Broker {
  connection: NatsConnection;
  js: JetStreamClient;
  manager: JetStreamManager;
}

/**
 * Streams through NATS JetStream: one stream for all runs, a subject for each. What it has said it has, it has after it was killed.
 * An event's offset is its number in that stream.
 */
export class NatsStreams implements RunStreams {
  private broker: Promise<Broker> | null = null;
  private readonly outbox: Outbox;
  private readonly stream: string;
  private isClosed = false;

  constructor(private readonly options: NatsOptions) {
    this.stream = options.stream ?? 'tactus';
    this.outbox = new Outbox(
      randomUUID(),
      (event, id) => this.send(event, id),
      options.onTrouble ?? (() => undefined),
    );
  }

  publish(event: StreamEvent, id?: string): void {
    this.outbox.add(event, id);
  }

  flushed(withinMs: number): Promise<void> {
    return this.outbox.flushed(withinMs);
  }

  async *read(runId: string, { after = 0, until, signal }: ReadOptions = {}): AsyncGenerator<StoredEvent> {
    let last = after;
    /** Offset of the last event that is wanted; null: there is no end yet. */
    let end: number | null = null;
    let messages: ConsumerMessages | null = null;
    const leave = (): void => void messages?.close();
    const isOver = (): boolean => signal?.aborted === true || (end !== null && last >= end) || this.isClosed;
    const ended = (): void =>
      void this.lastOffset(runId, signal).then((offset) => {
        end = offset;
        if (isOver()) leave();
      });
    until?.then(ended, ended);
    signal?.addEventListener('abort', leave);
    try {
      while (!isOver()) {
        try {
          const consumer = await this.consumer(runId, last);
          messages = await consumer.consume({ idle_heartbeat: 1_000 });
          if (isOver()) break;
          for await (const message of messages) {
            if (message.seq <= last) continue;
            last = message.seq;
            yield { offset: message.seq, event: message.json<StreamEvent>() };
            if (isOver()) break;
          }
        } catch (error) {
          this.options.onTrouble?.(error);
        }
        await messages?.close().catch(() => undefined);
        messages = null;
        if (!isOver()) await delay(retryMs);
      }
    } finally {
      signal?.removeEventListener('abort', leave);
      await messages?.close().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await this.outbox.flushed(closeMs);
    this.isClosed = true;
    this.outbox.close();
    const open = this.broker;
    this.broker = null;
    await open?.then(
      ({ connection }) => connection.close(),
      () => undefined,
    );
  }

  private async send(event: StreamEvent, id: string): Promise<void> {
    const { js } = await this.connected();
    const subject = this.subjectOf(event.run_id);
    await js.publish(subject, JSON.stringify(event), {
      msgID: `${event.run_id}/${id}`,
      timeout: acknowledgeMs,
    });
  }

  private async consumer(runId: string, after: number): Promise<Consumer> {
    const { js } = await this.connected();
    const { DeliverPolicy } = await load();
    return js.consumers.get(this.stream, {
      filter_subjects: this.subjectOf(runId),
      ...(after === 0
        ? { deliver_policy: DeliverPolicy.All }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 }),
    });
  }

  /**
   * Of a run that has ended; 0 where it has no events. Where what is there ends in the middle of an answer, its worker may have the rest: that is waited for,
   * a while.
   */
  private async lastOffset(runId: string, signal: AbortSignal | undefined): Promise<number> {
    for (const since = Date.now(); signal?.aborted !== true && !this.isClosed; await delay(retryMs)) {
      try {
        const { manager } = await this.connected();
        const message = await manager.streams.getMessage(this.stream, {
          last_by_subj: this.subjectOf(runId),
        });
        if (message === null) return 0;
        if (isEnd(message.json<StreamEvent>()) || Date.now() - since > tailMs) return message.seq;
      } catch (error) {
        this.options.onTrouble?.(error);
      }
    }
    return 0;
  }

  private subjectOf(runId: string): string {
    return `${this.stream}.${Buffer.from(runId).toString('base64url')}`;
  }

  private connected(): Promise<Broker> {
    if (this.isClosed) return Promise.reject(new Error('these streams are closed'));
    const connecting = (this.broker ??= this.connect());
    connecting.catch(() => {
      if (this.broker === connecting) this.broker = null;
    });
    return connecting;
  }

  private async connect(): Promise<Broker> {
    const { connect, jetstream, jetstreamManager, RetentionPolicy, StorageType, DiscardPolicy } =
      await load();
    const { servers, keepMs = dayMs } = this.options;
    const connection = await connect({
      ...target(servers),
      maxReconnectAttempts: -1,
      reconnectTimeWait: retryMs,
    });
    const manager = await jetstreamManager(connection);
    const config = {
      name: this.stream,
      subjects: [`${this.stream}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_age: keepMs * 1_000_000,
      duplicate_window: Math.min(duplicateWindowMs, keepMs) * 1_000_000,
    };
    // Whoever runs the broker may have made it otherwise.
    await manager.streams.info(this.stream).catch(() => manager.streams.add(config));
    return { connection, manager, js: jetstream(connection) };
  }
}

/** Whether nothing need follow: a model has answered, and asks for no tool. */
function isEnd(event: StreamEvent): boolean {
  return event.type === 'answer' && event.finish_reason !== 'tool_calls';
}

/** The client wants what stands before the address by itself. */
function target(servers: string | string[]): {
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
} {
  const addresses = [servers]
    .flat()
    .map((server) => new URL(server.includes('://') ? server : `nats://${server}`));
  const [{ username = '', password = '' } = {}] = addresses;
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  const who = user === '' ? {} : pass === '' ? { token: user } : { user, pass };
  return { servers: addresses.map(({ host }) => host), ...who };
}

/** @throws TactusError missing_package */
async function load() {
  const [transport, jetstream] = await loadPackage(
    () => Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')]),
    'Streams through NATS need two packages: npm install @nats-io/transport-node @nats-io/jetstream',
  );
  return { ...jetstream, connect: transport.connect };
}

/** The streams that an environment names; null where it names none. @param onTrouble told once of a broker that is away, and of each other trouble */
export function openStreams(env: Environment, onTrouble: (problem: string) => void): RunStreams | null {
  const address = env[streamsVariable] ?? '';
  if (address === '') return null;
  const told = new Set<string>();
  return new NatsStreams({
    servers: address.split(','),
    onTrouble: (error) => {
      const problem = error instanceof Error ? error.message : String(error);
      if (!told.has(problem) && told.add(problem)) onTrouble(problem);
    },
  });
}
