import type { Context, MiddlewareHandler } from 'hono';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import { plainText } from '../../contract/text/plain-text.js';
import { addressOf } from '../guards/rate-limits.js';
import { RequestProblem } from '../http/problem.js';
import type { ServerEnv } from '../server-env.js';

const reading = ['GET', 'HEAD', 'OPTIONS'];
const refusals = [401, 403, 421, 429];
const longestText = 1_000;
const minuteMs = 60_000;
/** Refusals of those who have proved nothing that are written in a minute: nobody fills the disk with them. */
const mostStrangers = 120;

/**
 * Writes down who did what: all that changes something, whatever came of it, and all that was refused to somebody. What is
 * only read isn't written.
 */
export function audited(log: AuditLog | null): MiddlewareHandler<ServerEnv> {
  let strangers = { since: 0, count: 0, leftOut: 0 };
  return async (c, next) => {
    await next();
    if (log === null) return;
    const isRefused = refusals.includes(c.res.status);
    if (reading.includes(c.req.method) && !isRefused) return;
    const entry = entryOf(c);
    if (entry.mode === null) {
      const now = Date.now();
      if (now - strangers.since > minuteMs) strangers = { ...strangers, since: now, count: 0 };
      if (++strangers.count > mostStrangers) {
        strangers.leftOut++;
        return;
      }
    }
    const { leftOut } = strangers;
    strangers.leftOut = 0;
    log.write(leftOut === 0 ? entry : { ...entry, left_out: leftOut });
  };
}

function entryOf(c: Context<ServerEnv>): AuditEntry {
  const { who, mode } = callerOf(c);
  const forwarded = c.req.header('x-forwarded-for');
  return {
    at: new Date().toISOString(),
    ...{ who, mode, from: addressOf(c).slice('address '.length) },
    ...(forwarded === undefined ? {} : { forwarded_for: cut(forwarded) }),
    ...about(c),
    status: c.res.status,
    outcome: outcomeOf(c),
  };
}

function callerOf(c: Context<ServerEnv>): Pick<AuditEntry, 'who' | 'mode'> {
  const { identity, link, audit } = c.var as Partial<ServerEnv['Variables']>;
  if (link !== undefined) return { who: link.claims.approver, mode: 'link' };
  if (audit?.hook !== undefined) return { who: audit.hook, mode: 'webhook' };
  return identity === undefined ? { who: null, mode: null } : { who: identity.name, mode: identity.mode };
}

const path = /^\/api\/v1\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?/;

/** What was asked for, as its path says, and as the route knows it. */
function about(c: Context<ServerEnv>): Pick<AuditEntry, 'what' | 'namespace' | 'run' | 'request'> {
  const { audit, link } = c.var as Partial<ServerEnv['Variables']>;
  const [, namespace, kind, id] = path.exec(c.req.path) ?? [];
  const request = link?.claims.request ?? (kind === 'requests' ? id : undefined);
  const run = audit?.run ?? link?.claims.workflowId ?? (kind === 'runs' ? id : undefined);
  const where = link?.claims.namespace ?? audit?.namespace ?? namespace;
  return {
    what: `${c.req.method} ${cut(c.req.path)}`,
    ...(where === undefined ? {} : { namespace: plain(where) }),
    ...(run === undefined ? {} : { run: plain(run) }),
    ...(request === undefined ? {} : { request: plain(request) }),
  };
}

function outcomeOf(c: Context<ServerEnv>): string {
  const { audit } = c.var as Partial<ServerEnv['Variables']>;
  if (audit?.outcome !== undefined) return audit.outcome;
  const { error, res } = c;
  if (error instanceof TactusError || error instanceof RequestProblem) return error.code;
  return res.status < 400 ? 'done' : `status ${res.status}`;
}

/** Ids in paths are written with `%2F` for `/`. */
function plain(text: string): string {
  try {
    return cut(decodeURIComponent(text));
  } catch {
    return cut(text);
  }
}

function cut(text: string): string {
  return plainText(text).slice(0, longestText);
}

/** Who did what, or tried to: one line of the log. */
export interface AuditEntry {
  /** When it was answered. */
  at: string;
  /** null: nobody has proved a name. */
  who: string | null;
  /** How that was proved: `token`, `jwt`, `link`, `webhook`, `trusted-namespace`; null: not at all. */
  mode: string | null;
  /** The address that asked; behind a proxy, the proxy's. */
  from: string;
  /** What a proxy says of where it came from. Anybody can write it. */
  forwarded_for?: string;
  what: string;
  namespace?: string;
  run?: string;
  request?: string;
  status: number;
  /** The verdict of a decision, or the code of an error; `done` of all else. */
  outcome: string;
  /** So many refusals before this line have none of their own. */
  left_out?: number;
}

export interface AuditLog {
  write(entry: AuditEntry): void;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

/** A log of JSON, an entry a line. It is opened for each line, so that other programs may move it away. */
export class AuditFile implements AuditLog {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly onTrouble: (problem: string) => void,
  ) {}

  write(entry: AuditEntry): void {
    const line = `${JSON.stringify(entry)}\n`;
    this.last = this.last.then(() => this.append(line));
  }

  close(): Promise<void> {
    return this.last;
  }

  private async append(line: string): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true });
      await appendFile(this.path, line, { mode: 0o600 });
    } catch (error) {
      this.onTrouble(`the audit log can't be written: ${String(error)}`);
    }
  }
}
