import type { Api } from '../api/api.js';
import type { LogEntryView, LogPage, PassView } from '../../contract/runs/run-view.js';

export interface PassLog {
  log: LogEntryView[];
  /** The pass that it is of; null: the first one. */
  pass: PassView | null;
}

/** Reads the log of an earlier pass from an entry on, by the execution that the pass ended with. */
export async function readPass(api: Api, run: string, execution: string, from = 0): Promise<PassLog> {
  const log: LogEntryView[] = [];
  let pass: PassView | null = null;
  for (let next: number | null = from; next !== null;) {
    const query = `from=${next}&execution=${execution}`;
    const page: LogPage = await api.get('/runs/{run}/log', { run }, { query });
    log.push(...page.execution_log);
    pass = page.pass ?? null;
    next = page.next;
  }
  return { log, pass };
}
