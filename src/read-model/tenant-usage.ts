import type { TenantUsage } from '../contract/budgets/tenant-budget.js';
import { ensureTables, type SqlConnection, type SqlRow } from './sql-connection.js';

/** What runs of tenants use, added up by all workers. */
export interface TenantUsageStore {
  /** Adds to what a tenant has used. @param at when, in ms since 1970 */
  add(tenant: string, usage: TenantUsage, at: number): Promise<void>;
  /** What a tenant has used between two moments, which begin hours. */
  of(tenant: string, start: number, end: number): Promise<TenantUsage>;
  /** All tenants that have used anything since then, by their names. */
  since(start: number): Promise<Map<string, TenantUsage>>;
  close(): Promise<void>;
}

const schemaVersion = 1;
const hourMs = 3_600_000;
/** What is older is no part of any budget, and is removed. In hours. */
const keptHours = 400 * 24;
/** A tenth of a millionth of a cent: costs are added up as whole numbers. */
const unitsOfDollar = 1e9;
const columns = ['cost', 'tokens', 'calls', 'unpriced'];
const sums = columns.map((column) => `SUM(${column}) AS ${column}`).join(', ');

/** One row for each tenant and hour, beside the index of runs: rebuilding the index leaves them alone, because no run knows them. */
export class SqlTenantUsage implements TenantUsageStore {
  private made: Promise<void> | null = null;

  constructor(private readonly connection: SqlConnection) {}

  async add(tenant: string, usage: TenantUsage, at: number): Promise<void> {
    await this.ready();
    const added = columns.map((column) => `${column} = tactus_tenant_usage.${column} + excluded.${column}`);
    await this.connection.query(
      `INSERT INTO tactus_tenant_usage (tenant, hour, ${columns.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (tenant, hour) DO UPDATE SET ${added.join(', ')}`,
      [tenant, hourOf(at), ...valuesOf(usage)],
    );
  }

  async of(tenant: string, start: number, end: number): Promise<TenantUsage> {
    await this.ready();
    const [row = {}] = await this.connection.query(
      `SELECT ${sums} FROM tactus_tenant_usage WHERE tenant = ? AND hour >= ? AND hour < ?`,
      [tenant, hourOf(start), hourOf(end)],
    );
    return toUsage(row);
  }

  async since(start: number): Promise<Map<string, TenantUsage>> {
    await this.ready();
    const rows = await this.connection.query(
      `SELECT tenant, ${sums} FROM tactus_tenant_usage WHERE hour >= ? GROUP BY tenant ORDER BY tenant`,
      [hourOf(start)],
    );
    return new Map(rows.map((row) => [String(row['tenant']), toUsage(row)]));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** A database that is away at first is no reason not to begin. */
  private ready(): Promise<void> {
    this.made ??= this.make().catch((error: unknown) => {
      this.made = null;
      throw error;
    });
    return this.made;
  }

  private async make(): Promise<void> {
    const { text, integer } = this.connection.dialect;
    await ensureTables(this.connection, {
      what: 'The usage of tenants',
      version: schemaVersion,
      about: 'tactus_tenants',
      statements: [
        `CREATE TABLE IF NOT EXISTS tactus_tenant_usage (
          tenant ${text} NOT NULL, hour ${integer} NOT NULL,
          ${columns.map((column) => `${column} ${integer} NOT NULL`).join(', ')},
          PRIMARY KEY (tenant, hour))`,
      ],
      // What is spent is known nowhere else.
      replaced: [],
    });
    await this.connection.query('DELETE FROM tactus_tenant_usage WHERE hour < ?', [
      hourOf(Date.now()) - keptHours,
    ]);
  }
}

function hourOf(at: number): number {
  return Math.floor(at / hourMs);
}

function valuesOf({ costUsd, tokens, modelCalls, unpricedCalls }: TenantUsage): number[] {
  return [Math.round(costUsd * unitsOfDollar), tokens, modelCalls, unpricedCalls];
}

/** A sum of nothing is null, and PostgreSQL's are texts. */
function toUsage(row: SqlRow): TenantUsage {
  const [cost = 0, tokens = 0, modelCalls = 0, unpricedCalls = 0] = columns.map((column) =>
    Number(row[column] ?? 0),
  );
  return { costUsd: cost / unitsOfDollar, tokens, modelCalls, unpricedCalls };
}
