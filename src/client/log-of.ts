import type { LogPage } from '../contract/run-view.js';

/** The whole log, page by page: a query's answer has a limit. */
export async function logOf(page: (from: number) => Promise<LogPage>): Promise<LogPage> {
  const first = await page(0);
  const entries = [...first.execution_log];
  for (let { next } = first; next !== null;) {
    const more = await page(next);
    entries.push(...more.execution_log);
    ({ next } = more);
  }
  return { ...first, execution_log: entries, next: null };
}
