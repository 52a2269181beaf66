import { Client, type Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import {
  type Asking,
  knownBut,
  missingSearchAttributes,
  type RunReport,
  TactusClient,
  viewRun,
} from '../client/index.js';
import type { Decision, Verdict } from '../contract/people/decision.js';
import type { LastAnswers } from '../contract/runs/run-view.js';
import type { RunIndex } from '../read-model/run-index.js';
import type { StreamReader } from '../streams/run-streams.js';
import { embeddedTrouble, type ServerRecord, touchUsed } from '../worker/server/index.js';
import { openPayloadStore, withPayloadStore, type ListedPayloadStore } from '../worker/payloads/index.js';
import { codecsOf, payloadsPlace } from './payloads/codecs.js';
import { filesFolder, type FilesFolder } from './configure.js';
import { assertAnswers, boundedAsk, connect, connectionTarget, waits } from './connection.js';
import { hasCode, type Context } from './command.js';
import { openIndex } from './lists/open-index.js';
import { embeddedServer } from './server/embedded-server.js';
import { Silence } from './terminal/silence.js';
import { OwnWorker, type OwnWorkerParts } from './worker/own-worker.js';

const touchEveryMs = 60_000;

interface SessionParts extends Omit<OwnWorkerParts, 'client'> {
  connection: Connection;
  tactus: TactusClient;
  /** Search attributes that the namespace doesn't have: runs leave all of them out then. */
  missingAttributes: readonly string[];
  /** Where large payloads are kept; null where nobody has named a place. */
  payloadStore: ListedPayloadStore | null;
  /** Says that the embedded server is in use; null where another one was named. */
  touching: NodeJS.Timeout | null;
}

/** A command's connection to the server, and the worker that it may have started. */
export class Session {
  private opened: Promise<RunIndex | null> | null = null;

  readonly connection: Connection;
  readonly tactus: TactusClient;
  readonly target: SessionParts['target'];
  readonly embedded: ServerRecord | null;
  readonly missingAttributes: readonly string[];
  readonly files: FilesFolder;
  readonly codecs: SessionParts['codecs'];
  /** The worker that the command brings. */
  readonly worker: OwnWorker;
  readonly silence: Silence;

  private constructor(private readonly parts: SessionParts) {
    this.connection = parts.connection;
    this.tactus = parts.tactus;
    this.target = parts.target;
    this.embedded = parts.embedded;
    this.missingAttributes = parts.missingAttributes;
    this.files = parts.files;
    this.codecs = parts.codecs;
    this.worker = new OwnWorker({ ...parts, client: parts.tactus.client });
    this.silence = new Silence(parts.screen, parts.target.address);
  }

  /** @throws TactusError server_unreachable, usage, config_invalid */
  static async open(context: Context): Promise<Session> {
    const { options, screen } = context;
    const target = connectionTarget(options);
    const { namespace, taskQueue } = target;
    // It reads the configuration, whose variables say where files are.
    const codecs = await codecsOf(context);
    const files = filesFolder(options);
    const embedded = target.connection === null ? await embeddedServer(screen) : null;
    const connectionOptions = target.connection ?? { address: embedded?.address ?? '' };
    const address = connectionOptions.address ?? '';
    const connection = await connect(connectionOptions, address);
    const missing = await missingSearchAttributes(connection, namespace);
    const payloads = payloadsPlace(options);
    const payloadStore = payloads === null ? null : openPayloadStore(payloads);
    const dataConverter = withPayloadStore(codecs.dataConverter, payloadStore ?? undefined);
    const tactus = new TactusClient(new Client({ connection, namespace, dataConverter }), {
      taskQueue,
      searchAttributes: knownBut(missing),
    });
    const touching =
      embedded === null ? null : setInterval(() => touchUsed(process.cwd()), touchEveryMs).unref();
    return new Session({
      ...{ connection, connectionOptions, tactus, target: { address, namespace, taskQueue } },
      ...{ embedded, missingAttributes: missing, files, payloads, payloadStore, codecs, touching, screen },
      isVerbose: options.verbose === true,
    });
  }

  /** The same for another namespace of the server, and with streams and lists to read from. */
  tactusOf(namespace: string, streams: StreamReader | null, index: RunIndex | null): TactusClient {
    const { connection, client, target, missingAttributes } = this;
    const { dataConverter } = client.options;
    return new TactusClient(
      new Client({ connection, namespace, ...(dataConverter === undefined ? {} : { dataConverter }) }),
      {
        taskQueue: target.taskQueue,
        ...(namespace === target.namespace ? { searchAttributes: knownBut(missingAttributes) } : {}),
        ...(streams === null ? {} : { streams }),
        ...(index === null ? {} : { index }),
      },
    );
  }

  /** Null where nobody has named a place. */
  get payloadStore(): ListedPayloadStore | null {
    return this.parts.payloadStore;
  }

  get client(): Client {
    return this.tactus.client;
  }

  /** Address of the run's page; null where we don't know of one. */
  webUi(runId: string): string | null {
    if (this.embedded === null || this.embedded.ui === null) return null;
    return `${this.embedded.ui}/namespaces/${this.target.namespace}/workflows/${encodeURIComponent(runId)}`;
  }

  private async bounded<T>(
    question: () => Promise<T>,
    attempts: readonly number[],
    isWorthwhile?: () => Promise<boolean>,
  ): Promise<T> {
    try {
      return await this.silence.noteDuring(() => boundedAsk(this, question, attempts, isWorthwhile));
    } catch (error) {
      if (hasCode(error, 'no_worker')) await assertAnswers(this.connection, this.target.address);
      throw error;
    }
  }

  /**
   * Asks what a worker has to answer. Of a closed run everything that matters is known without one: a worker elsewhere
   * isn't waited for that isn't there.
   * @throws TactusError no_worker when none did
   */
  async ask<T>(question: () => Promise<T>, isOpen = true): Promise<T> {
    if (this.embedded === null) {
      if (isOpen) return this.bounded(question, waits.elsewhere, () => this.worker.hasLive());
      return this.bounded(question, (await this.worker.hasLive()) ? waits.ofClosed : []);
    }
    await this.worker.provide({ performs: false });
    if (this.worker.isThere) return this.bounded(question, waits.own);
    try {
      return await this.bounded(question, waits.otherProcess);
    } catch (error) {
      if (!hasCode(error, 'no_worker')) throw error;
      // The other process lives, and works for nobody: it hangs, or was stopped.
      await this.worker.take({ performs: false });
      return this.bounded(question, waits.own);
    }
  }

  /** The index of the server's runs; null where there is none, or it can't be used. */
  index(): Promise<RunIndex | null> {
    return (this.opened ??= openIndex(this.embedded !== null, this.parts.screen));
  }

  /** What an execution that has ended answered last; null where the index doesn't have it: a worker is asked then. */
  async lastAnswers(runId: string, execution: string): Promise<LastAnswers | null> {
    return this.tactusOf(this.target.namespace, null, await this.index()).lastAnswers(runId, execution);
  }

  /** A run as it stands. @throws TactusError run_not_found; no_worker of an open run */
  view(runId: string): Promise<RunReport> {
    return viewRun(this.tactus.attach(runId), this.asking);
  }

  /** How runs are asked here. */
  get asking(): Asking {
    return {
      ask: (question, isOpen) => this.ask(question, isOpen),
      look: (question) => this.bounded(question, waits.server),
      last: (runId, execution) => this.lastAnswers(runId, execution),
    };
  }

  /** Decides a request, once however often it has to be said. @throws TactusError no_worker */
  async decide(runId: string, decision: Decision): Promise<Verdict> {
    const named = { ...decision, id: randomUUID() };
    // A worker of this command's own only answers questions: none of its like looks at signatures.
    if (decision.token !== undefined && this.embedded !== null && this.worker.isThere) {
      await this.worker.end();
      await this.worker.take({ performs: true });
    }
    let times = 0;
    const verdict = await this.ask(() => {
      times += 1;
      return this.tactus.attach(runId).decide(named);
    });
    // It had arrived the first time, and only its verdict was lost.
    return times > 1 && verdict.outcome === 'duplicate' ? { ...verdict, outcome: 'accepted' } : verdict;
  }

  async close(): Promise<void> {
    if (this.parts.touching !== null) clearInterval(this.parts.touching);
    await this.worker.end();
    await (await this.opened?.catch(() => null))?.close();
    await this.connection.close();
  }
}

/** Does something with a session, and closes it whatever comes. */
export async function withSession<T>(context: Context, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    const session = await Session.open(context);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  } catch (error) {
    const isEmbedded = connectionTarget(context.options).connection === null;
    throw (isEmbedded ? embeddedTrouble(process.cwd(), error) : null) ?? error;
  }
}
