import { labelItems } from '../contract/runs/labels.js';
import { versionText, type RunStatus } from '../contract/runs/run-view.js';
import type {
  Feeder,
  IndexChange,
  IndexCounts,
  IndexedIdFilter,
  IndexedRequest,
  IndexedRequestFilter,
  IndexedRun,
  IndexedRunFilter,
  IndexPage,
  OpenCounts,
  RunCountFilter,
  RunIndex,
} from './run-index.js';
import { countOpen } from './open-counts.js';
import { compareTexts } from '../contract/text/texts.js';
import { checkedLimit, page, readPlace } from './sql-pages.js';
import { ensureSchema, runTables, toIndexedRequest, toIndexedRun, writeChange } from './sql-tables.js';
import type { SqlConnection, SqlRow, SqlValue } from './sql-connection.js';
import { namesText, wordsText } from './request-filter.js';

/** So many parameters are in one question at most. */
const atOnce = 500;

/**
 * The index in a database. Its tables are made when it is used first: a database that is away then is no reason not to
 * begin.
 * @throws TactusError usage, by everything, where a newer version of this package has made the tables
 */
export class SqlRunIndex implements RunIndex {
  private made: Promise<void> | null = null;

  constructor(private readonly connection: SqlConnection) {}

  async write(changes: readonly IndexChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.ready();
    // In one order, so that writers never wait for each other in a ring.
    const ordered = [...changes].sort((a, b) => compareTexts(a.run.run_id, b.run.run_id));
    await this.connection.transaction(async (within) => {
      for (const change of ordered) await writeChange(within, change);
    });
  }

  async forget(runIds: readonly string[]): Promise<void> {
    await this.ready();
    for (const ids of parts(runIds))
      await this.connection.transaction(async (within) => {
        for (const table of runTables)
          await within.query(`DELETE FROM ${table} WHERE run_id IN (${marks(ids)})`, ids);
      });
  }

  async runs(filter: IndexedRunFilter): Promise<IndexPage<IndexedRun>> {
    const { after } = filter;
    const limit = checkedLimit(filter.limit);
    const terms = this.termsOf(filter);
    if (after !== undefined) terms.add('(started_at, run_id) < (?, ?)', ...readPlace(after, 2));
    const rows = await this.query(
      `SELECT * FROM tactus_runs${terms.text} ORDER BY started_at DESC, run_id DESC LIMIT ?`,
      [...terms.values, limit + 1],
    );
    return page(rows, limit, toIndexedRun, ['started_at', 'run_id']);
  }

  async ids({ status, from, isBehind, before, limit }: IndexedIdFilter): Promise<string[]> {
    const terms = new Terms();
    terms.add(isBehind ? 'run_id > ?' : 'run_id >= ?', from);
    terms.add('run_id < ?', before ?? undefined);
    terms.add('status = ?', status);
    const rows = await this.query(
      `SELECT run_id FROM tactus_runs${terms.text} ORDER BY run_id${limit === undefined ? '' : ' LIMIT ?'}`,
      [...terms.values, ...(limit === undefined ? [] : [checkedLimit(limit)])],
    );
    return rows.map((row) => String(row['run_id']));
  }

  async find(runIds: readonly string[]): Promise<IndexedRun[]> {
    const found: IndexedRun[] = [];
    for (const ids of parts(runIds)) {
      const sql = `SELECT * FROM tactus_runs WHERE run_id IN (${marks(ids)})`;
      found.push(...(await this.query(sql, ids)).map(toIndexedRun));
    }
    return found;
  }

  async answers(runId: string, execution: string): Promise<string | null> {
    const sql = 'SELECT packed FROM tactus_answers WHERE run_id = ? AND execution = ?';
    const [row] = await this.query(sql, [runId, execution]);
    return row === undefined ? null : String(row['packed']);
  }

  async requests(filter: IndexedRequestFilter): Promise<IndexPage<IndexedRequest>> {
    const { runIds, procedure, kind, approver, text, askedBefore, after } = filter;
    const limit = checkedLimit(filter.limit);
    const { contains } = this.connection.dialect;
    const terms = new Terms();
    if (runIds !== undefined) terms.add(`run_id IN (${marks(runIds)})`, ...runIds);
    terms.add('procedure = ?', procedure);
    terms.add('kind = ?', kind);
    terms.add('created_at <= ?', askedBefore);
    if (approver !== undefined) {
      terms.add(`(approvers = '' OR ${contains('approvers')})`, namesText([approver]));
      terms.add('(requester IS NULL OR requester <> ?)', approver);
    }
    if (text !== undefined) terms.add(contains('words'), wordsText(text));
    if (after !== undefined) terms.add('(created_at, run_id, place) > (?, ?, ?)', ...readPlace(after, 3));
    const rows = await this.query(
      `SELECT * FROM tactus_requests${terms.text} ORDER BY created_at, run_id, place LIMIT ?`,
      [...terms.values, limit + 1],
    );
    return page(rows, limit, toIndexedRequest, ['created_at', 'run_id', 'place']);
  }

  async counts(filter: RunCountFilter = {}): Promise<IndexCounts> {
    const terms = this.termsOf(filter);
    const rows = await this.query(
      `SELECT status, COUNT(*) AS many FROM tactus_runs${terms.text} GROUP BY status`,
      terms.values,
    );
    const [requests] = await this.query('SELECT COUNT(*) AS many FROM tactus_requests');
    const byStatus = Object.fromEntries(rows.map((row) => [row['status'] as RunStatus, Number(row['many'])]));
    return {
      runs: Object.values(byStatus).reduce((sum, many) => sum + many, 0),
      requests: Number(requests?.['many'] ?? 0),
      byStatus,
    };
  }

  openCounts(asked: readonly string[]): Promise<OpenCounts> {
    return countOpen((sql, parameters) => this.query(sql, parameters), asked);
  }

  async countsBefore(at: number): Promise<{ open: number; closed: number }> {
    const time = new Date(at).toISOString();
    const [row] = await this.query(
      `SELECT (SELECT COUNT(*) FROM tactus_runs WHERE is_final = 0
           AND (version > '' AND version < ? OR version = '' AND started_at < ?)) AS open,
         (SELECT COUNT(*) FROM tactus_runs WHERE is_final = 1 AND closed_at < ?) AS closed`,
      [versionText({ began: at, length: 0, step: 0 }), time, time],
    );
    return { open: Number(row?.['open'] ?? 0), closed: Number(row?.['closed'] ?? 0) };
  }

  async unsure(now: Date): Promise<string[]> {
    const rows = await this.query(
      `SELECT run_id FROM tactus_runs WHERE is_final = 0 AND version = ''
       UNION SELECT run_id FROM tactus_requests WHERE deadline <= ?`,
      [now.toISOString()],
    );
    return rows.map((row) => String(row['run_id']));
  }

  async caughtUpAt(): Promise<number | null> {
    const [row] = await this.query(`SELECT value FROM tactus_index WHERE name = 'caught_up_at'`);
    return row === undefined ? null : Number(row['value']);
  }

  async setCaughtUp(at: number): Promise<void> {
    await this.query(
      `INSERT INTO tactus_index (name, value) VALUES ('caught_up_at', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [String(at)],
    );
  }

  async enter({ id, host, pid, seenAt }: Feeder): Promise<void> {
    await this.query(
      `INSERT INTO tactus_feeders (id, host, pid, seen_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
      [id, host, pid, seenAt],
    );
  }

  async leave(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.query(`DELETE FROM tactus_feeders WHERE id IN (${marks(ids)})`, ids);
  }

  async feeders(): Promise<Feeder[]> {
    const rows = await this.query('SELECT id, host, pid, seen_at FROM tactus_feeders ORDER BY id');
    return rows.map((row) => ({
      ...{ id: String(row['id']), host: String(row['host']) },
      ...{ pid: Number(row['pid']), seenAt: Number(row['seen_at']) },
    }));
  }

  async clear(): Promise<void> {
    await this.ready();
    await this.connection.transaction(async (within) => {
      for (const table of runTables) await within.query(`DELETE FROM ${table}`);
      await within.query(`DELETE FROM tactus_index WHERE name <> 'schema'`);
    });
  }

  async claim(owner: string): Promise<string> {
    await this.query(
      `INSERT INTO tactus_index (name, value) VALUES ('owner', ?) ON CONFLICT (name) DO NOTHING`,
      [owner],
    );
    const [row] = await this.query(`SELECT value FROM tactus_index WHERE name = 'owner'`);
    return String(row?.['value']);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private termsOf(filter: RunCountFilter): Terms {
    const { status, procedure, prefix, isOpen = false, since, until, labels = {}, forkedFrom } = filter;
    const terms = new Terms();
    terms.add('status = ?', status);
    terms.add('procedure = ?', procedure);
    terms.add('forked_from = ?', forkedFrom);
    terms.add('substr(run_id, 1, length(CAST(? AS TEXT))) = ?', prefix, prefix);
    terms.add('started_at >= ?', since);
    terms.add('started_at < ?', until);
    if (isOpen) terms.add('is_final = ?', 0);
    const { contains } = this.connection.dialect;
    for (const item of labelItems(labels)) terms.add(contains('labels'), namesText([item]));
    return terms;
  }

  private async query(sql: string, parameters: readonly SqlValue[] = []): Promise<SqlRow[]> {
    await this.ready();
    return this.connection.query(sql, parameters);
  }

  private async ready(): Promise<void> {
    const making = (this.made ??= ensureSchema(this.connection));
    await making.catch((error: unknown) => {
      if (this.made === making) this.made = null;
      throw error;
    });
  }
}

/** Conditions that all hold; one whose parameter is left out is left out. */
class Terms {
  readonly values: SqlValue[] = [];
  private readonly parts: string[] = [];

  add(condition: string, ...values: (SqlValue | undefined)[]): void {
    const given = values.filter((value) => value !== undefined);
    if (given.length < values.length) return;
    this.parts.push(condition);
    this.values.push(...given);
  }

  get text(): string {
    return this.parts.length === 0 ? '' : ` WHERE ${this.parts.join(' AND ')}`;
  }
}

/** Of none: what nothing is equal to. */
function marks(values: readonly unknown[]): string {
  return values.length === 0 ? 'NULL' : values.map(() => '?').join(', ');
}

function parts(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / atOnce);
  return Array.from({ length: count }, (_, i) => ids.slice(i * atOnce, (i + 1) * atOnce));
}
