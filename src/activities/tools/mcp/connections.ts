import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import type { Egress } from '../../../egress/egress-fetch.js';
import { connect, type McpConnection } from './connection.js';
import type { McpServerConfig } from '../../../contract/tools/tool-servers.js';
import { NotDone, ToolFailed } from '../tool-host.js';
import { variableFill } from '../fill-variables.js';
import { Fault } from '../../retries/failures.js';
import { SharedWork } from './shared-work.js';

/** A server that nobody has asked for so long is let go: a process would stay for as long as the worker lives. */
const idleMs = 300_000;

interface Held {
  connection: SharedWork<McpConnection>;
  users: number;
  idle: NodeJS.Timeout | null;
  /** The server doesn't know it any more. */
  isLost: boolean;
}

/** Thrown in place of an answer: the server has forgotten the session, and did nothing. */
class LostSession extends Error {
  override readonly name = 'LostSession';
}

type Work<T> = (connection: McpConnection) => Promise<T>;

/**
 * Connections of one worker, made when they are first needed, one for each server.
 *
 * Owns: the open connections, how many calls use each, and when an unused one is closed.
 * Asks: `connect` for new connections.
 * Invariants:
 *  1. New calls to a server share one connection. One that broke, or whose session the server forgot, is given to no new call.
 *  2. A connection is not closed while a call uses it.
 *  3. Whoever gives a call up ends nothing for others: a connection is given up while it is made only if nobody waits for it.
 *  4. A call is repeated only if the server did nothing (it forgot the session), and only if `mayRepeat`.
 */
export class McpConnections {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly servers: Readonly<Record<string, McpServerConfig>>,
    private readonly env: Environment,
    private readonly egress: Egress,
  ) {}

  /**
   * Does something with a server, whose connection is made anew where it broke. What was asked of a session that the server has
   * forgotten is asked again of a new one.
   * @param mayRepeat false: it is done once at most
   * @throws ToolFailed where it would have to be asked again, and must not
   */
  async use<T>(name: string, signal: AbortSignal, work: Work<T>, mayRepeat = true): Promise<T> {
    try {
      return await this.useOnce(name, signal, work);
    } catch (error) {
      if (!(error instanceof LostSession)) throw error;
      if (mayRepeat) return await this.useOnce(name, signal, work);
      throw new ToolFailed(
        `${name} has forgotten its session, so the call was refused, and it is not repeated by itself; a new session is there for the next call`,
      );
    }
  }

  private async useOnce<T>(name: string, signal: AbortSignal, work: Work<T>): Promise<T> {
    const held = this.hold(name);
    held.users++;
    if (held.idle !== null) clearTimeout(held.idle);
    try {
      const connection = await held.connection.waitFor(signal);
      return await work(connection).catch((error: unknown) => {
        if (statusOf(error) !== 404 || !connection.hasSession()) throw connection.problem() ?? error;
        this.lose(name, held);
        throw new LostSession('the server does not know the session', { cause: error });
      });
    } finally {
      held.users--;
      if (held.users === 0 && held.isLost) void this.drop(name, held);
      else if (held.users === 0) held.idle = setTimeout(() => void this.drop(name, held), idleMs).unref();
    }
  }

  /** From now on another one is made; whoever uses it finds out by itself. */
  private lose(name: string, held: Held): void {
    held.isLost = true;
    if (this.held.get(name) === held) this.held.delete(name);
  }

  /** Drops those that nobody uses. */
  async close(): Promise<void> {
    await Promise.all([...this.held].map(([name, held]) => this.drop(name, held)));
  }

  private hold(name: string): Held {
    const known = this.held.get(name);
    if (known !== undefined && !known.connection.isOver) return known;
    const config = this.servers[name];
    if (config === undefined) throw new TypeError(`no server ${name} is configured`);
    const forget = (): void => {
      if (this.held.get(name) === held) this.held.delete(name);
    };
    const resolved = resolveVariables(name, config, this.env);
    const held: Held = {
      connection: new SharedWork((signal) =>
        connect(resolved, { egress: this.egress, signal, onClose: forget }),
      ),
      users: 0,
      idle: null,
      isLost: false,
    };
    this.held.set(name, held);
    held.connection.result.catch(forget);
    return held;
  }

  private async drop(name: string, held: Held): Promise<void> {
    if (held.users > 0) return;
    if (held.idle !== null) clearTimeout(held.idle);
    if (this.held.get(name) === held) this.held.delete(name);
    const connection = await held.connection.result.catch(() => null);
    await connection?.close().catch(() => undefined);
  }
}

/**
 * Codes of JSON-RPC by which a server says that it doesn't take a request: it has done nothing. What it says after it has begun is
 * none of them.
 */
const refusals = [-32700, -32600, -32601, -32602, -32002, -32021, -32022];

/** By HTTP it may take the same one later: nothing is there while it is deployed anew, say. */
const refusedForNow = [404, 408, 425, 429];

/** What an error of the client says of a call: ToolFailed, or NotDone, where the server has refused it; else the error itself. */
export function knownAnswer(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ToolFailed) return error;
  const { code } = error as { code?: unknown };
  if (typeof code === 'number') return refusals.includes(code) ? new ToolFailed(error.message) : error;
  const status = statusOf(error);
  if (status === null) return error;
  const said = `answered ${status}: ${wordsOf(error)}`;
  if (refusedForNow.includes(status)) return new NotDone(new Fault(said, { status, retryable: true }));
  return status >= 400 && status < 500 ? new ToolFailed(said) : error;
}

/** What it says where no connection could be made. */
export function notConnected(error: unknown): unknown {
  const known = knownAnswer(error);
  if (
    known !== error ||
    !(error instanceof Error) ||
    error instanceof ToolFailed ||
    error instanceof TactusError
  )
    return known;
  return new NotDone(new Fault(error.message, { retryable: true, cause: error }));
}

/** The status of HTTP that a request was answered with. */
function statusOf(error: unknown): number | null {
  const { data } = (error ?? {}) as { data?: { status?: unknown } };
  return typeof data?.status === 'number' ? data.status : null;
}

function wordsOf(error: Error): string {
  return error.message.replace(/^Error POSTing to endpoint: /, '').slice(0, 2_000);
}

/**
 * The configuration of a server with the values of the variables that it names.
 * @throws ToolFailed naming one that isn't set
 */
export function resolveVariables(server: string, config: McpServerConfig, env: Environment): McpServerConfig {
  const fill = variableFill(`the MCP server ${server}`, env);
  if ('url' in config) return { ...config, url: fill.text(config.url), headers: fill.table(config.headers) };
  const { command, args = [] } = config;
  return { ...config, command: fill.text(command), args: args.map(fill.text), env: fill.table(config.env) };
}
