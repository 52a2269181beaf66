import type { Api } from '../api/api.js';
import type { LogEntryView, LogPage, PassView } from '../../contract/runs/run-view.js';

export interface PassLog {
  log: LogEntryView[];
  /** The pass that it is of; null: the first one. */
  pass: PassView | null;
}

/**
 * Reads what stands before a pass, or before the part of it that its execution has: from an entry on, up to where that begins.
 * The execution before may have some of what follows as well.
 */
export async function readPass(
  api: Api,
  run: string,
  { checkpoints, execution }: PassView,
  from = 0,
): Promise<PassLog> {
  const log: LogEntryView[] = [];
  let pass = null as PassView | null;
  for (let next: number | null = from; next !== null;) {
    const query = `from=${next}&execution=${execution ?? ''}`;
    const page: LogPage = await api.get('/runs/{run}/log', { run }, { query });
    log.push(...page.execution_log);
    pass = page.pass ?? null;
    next = page.next;
  }
  const first = Math.max(from, pass?.checkpoints ?? 0);
  return { log: log.slice(0, Math.max(0, checkpoints - first)), pass };
}
