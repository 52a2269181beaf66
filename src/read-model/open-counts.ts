import type { RunStatus } from '../contract/runs/run-view.js';
import { namesIn } from './request-filter.js';
import type { OpenCounts } from './run-index.js';
import type { SqlRow } from './sql-connection.js';

/** So many groups are counted at most. */
const mostGroups = 1_000;

/** @param asked bounds of the age of requests, the newest first; ISO 8601, UTC */
export async function countOpen(
  query: (sql: string, parameters: readonly string[]) => Promise<SqlRow[]>,
  asked: readonly string[],
): Promise<OpenCounts> {
  const runs = await query(
    `SELECT procedure, status, COUNT(*) AS many FROM tactus_runs WHERE is_final = 0
     GROUP BY procedure, status ORDER BY many DESC, procedure, status LIMIT ${mostGroups}`,
    [],
  );
  const since = asked.map((_, i) => `, SUM(CASE WHEN created_at >= ? THEN 1 ELSE 0 END) AS since_${i}`);
  const requests = await query(
    `SELECT approvers, COUNT(*) AS many, MIN(created_at) AS oldest${since.join('')}
     FROM tactus_requests GROUP BY approvers ORDER BY many DESC, approvers LIMIT ${mostGroups}`,
    asked,
  );
  return {
    runs: runs.map((row) => ({
      procedure: String(row['procedure']),
      status: row['status'] as RunStatus,
      count: Number(row['many']),
    })),
    requests: requests.map((row) => {
      const sums = [...asked.map((_, i) => Number(row[`since_${i}`])), Number(row['many'])];
      return {
        approvers: namesIn(String(row['approvers'])),
        counts: sums.map((sum, i) => sum - (sums[i - 1] ?? 0)),
        oldestAt: String(row['oldest']),
      };
    }),
  };
}
