import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Command } from '@langchain/langgraph';
import { waitUntil } from './wait-until.js';

/** What of a compiled graph is used: any has it. */
export interface Graph {
  invoke(
    input: unknown,
    config: { configurable: { thread_id: string }; signal: AbortSignal },
  ): Promise<unknown>;
  getState(config: { configurable: { thread_id: string } }): Promise<{
    values: unknown;
    next: string[];
    tasks: readonly { id: string; name: string; error?: unknown; interrupts: unknown[] }[];
  }>;
}

interface Run {
  run_id: string;
  thread_id: string;
  created_at: string;
  status: 'running' | 'success' | 'error' | 'interrupted';
}

interface Body {
  thread_id?: string;
  input?: unknown;
  command?: { resume: unknown };
}

/**
 * The requests of a LangGraph server that its client sends for threads and runs, with a real graph behind them. (The server's own
 * package wants another TypeScript, and brings a bundler.)
 */
export class LangGraphStandIn {
  readonly asked: { method: string; path: string; body: Body; headers: IncomingMessage['headers'] }[] = [];
  readonly runs: Run[] = [];
  /** Whoever begins a run hears nothing of it. */
  isMute = false;
  private readonly threads = new Set<string>();
  private readonly stops = new Map<string, AbortController>();

  private constructor(
    private readonly server: Server,
    private readonly graph: Graph,
  ) {}

  static async start(graph: Graph): Promise<LangGraphStandIn> {
    const server = createServer((incoming, outgoing) => void standIn.serve(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const standIn = new LangGraphStandIn(server, graph);
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Runs that were begun, and answers. */
  get begun(): Body[] {
    return this.asked
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/runs'))
      .map(({ body }) => body);
  }

  async wasAsked(what: RegExp, times = 1): Promise<void> {
    const found = (): number =>
      this.asked.filter(({ method, path }) => what.test(`${method} ${path}`)).length;
    await waitUntil(() => Promise.resolve(found() >= times));
  }

  forget(): void {
    this.asked.length = 0;
    this.isMute = false;
  }

  /** As a server that is started anew, and kept nothing. */
  loseThreads(): void {
    this.threads.clear();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', headers } = incoming;
    const { pathname: path } = new URL(incoming.url ?? '', this.url);
    const given = await text(incoming);
    const body = (given === '' ? {} : JSON.parse(given)) as Body;
    this.asked.push({ method, path, body, headers });
    const { status, value } = await this.answer(method, path.split('/').slice(1), body);
    if (this.isMute && method === 'POST' && path.endsWith('/runs')) return;
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }

  private async answer(
    method: string,
    [kind, id = '', what, runId = '']: string[],
    body: Body,
  ): Promise<{ status: number; value: unknown }> {
    const ok = (value: unknown): { status: number; value: unknown } => ({ status: 200, value });
    if (kind === 'assistants') {
      if (what === 'schemas') return ok({ input_schema: { properties: { goal: { type: 'string' } } } });
      return ok([{ assistant_id: randomUUID(), description: 'Plans journeys' }]);
    }
    if (method === 'POST' && id === '') {
      const thread = body.thread_id ?? randomUUID();
      this.threads.add(thread);
      return ok({ thread_id: thread });
    }
    if (!this.threads.has(id)) return { status: 404, value: { detail: 'Thread not found' } };
    const runs = this.runs.filter((run) => run.thread_id === id);
    if (what === 'state') {
      const { values, next, tasks } = await this.graph.getState({ configurable: { thread_id: id } });
      const told = tasks.map(({ error, ...task }) => ({
        ...task,
        error: error === undefined ? null : (error as Error).message,
      }));
      return ok({ values, next, tasks: told });
    }
    if (method === 'GET') return ok(runs.toReversed());
    if (runId !== '') {
      this.stops.get(runId)?.abort();
      return { status: 202, value: null };
    }
    if (runs.some((run) => run.status === 'running'))
      return { status: 422, value: { detail: 'Thread is already running a task' } };
    return ok(this.begin(id, body));
  }

  private begin(thread: string, { input, command }: Body): Run {
    const created = new Date(Date.now() + this.runs.length).toISOString();
    const run: Run = { run_id: randomUUID(), thread_id: thread, created_at: created, status: 'running' };
    const stop = new AbortController();
    this.runs.push(run);
    this.stops.set(run.run_id, stop);
    const given = command === undefined ? input : new Command({ resume: command.resume });
    this.graph.invoke(given, { configurable: { thread_id: thread }, signal: stop.signal }).then(
      () => (run.status = 'success'),
      () => (run.status = stop.signal.aborted ? 'interrupted' : 'error'),
    );
    return { ...run };
  }
}
