import type { Environment } from '../../../contract/environment.js';
import type { Egress } from '../../../egress/egress-fetch.js';
import { connect, type McpConnection } from './connection.js';
import type { McpServerConfig } from '../../../contract/mcp-server-config.js';
import { resolveVariables } from './resolve-variables.js';

/** A server that nobody has asked for so long is let go: a process would stay for as long as the worker lives. */
const idleMs = 300_000;

interface Held {
  connection: Promise<McpConnection>;
  users: number;
  idle: NodeJS.Timeout | null;
}

/** Connections of one worker, made when they are first needed, one for each server. */
export class McpConnections {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly servers: Readonly<Record<string, McpServerConfig>>,
    private readonly env: Environment,
    private readonly egress: Egress,
  ) {}

  /** Does something with a server, whose connection is made anew where it broke. */
  async use<T>(
    name: string,
    signal: AbortSignal,
    work: (connection: McpConnection) => Promise<T>,
  ): Promise<T> {
    const held = this.hold(name, signal);
    held.users++;
    if (held.idle !== null) clearTimeout(held.idle);
    try {
      const connection = await held.connection;
      return await work(connection).catch((error: unknown) => {
        throw connection.problem() ?? error;
      });
    } finally {
      held.users--;
      if (held.users === 0) held.idle = setTimeout(() => void this.drop(name, held), idleMs).unref();
    }
  }

  /** Drops those that nobody uses. */
  async close(): Promise<void> {
    await Promise.all([...this.held].map(([name, held]) => this.drop(name, held)));
  }

  private hold(name: string, signal: AbortSignal): Held {
    const known = this.held.get(name);
    if (known !== undefined) return known;
    const config = this.servers[name];
    if (config === undefined) throw new TypeError(`no server ${name} is configured`);
    const forget = (): void => {
      if (this.held.get(name) === held) this.held.delete(name);
    };
    const resolved = resolveVariables(name, config, this.env);
    const held: Held = {
      connection: connect(resolved, { egress: this.egress, signal, onClose: forget }),
      users: 0,
      idle: null,
    };
    this.held.set(name, held);
    held.connection.catch(forget);
    return held;
  }

  private async drop(name: string, held: Held): Promise<void> {
    if (held.users > 0) return;
    if (held.idle !== null) clearTimeout(held.idle);
    if (this.held.get(name) === held) this.held.delete(name);
    const connection = await held.connection.catch(() => null);
    await connection?.close().catch(() => undefined);
  }
}
