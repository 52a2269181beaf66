import type { JsonObject } from '../../src/contract/json/json.js';
import type { SweepOutcome } from './sweep-run.js';

/** What people see of a run, without its times and its id. */
export function seen({ view, log }: Pick<SweepOutcome, 'view' | 'log'>): JsonObject {
  const entries = log.map(({ position, type, name, status, input, result, error }) => ({
    position,
    type,
    name,
    status,
    input,
    result,
    error,
  }));
  entries.sort((a, b) => a.position.localeCompare(b.position));
  const { status, output, state, checkpoints, usage, printed, logs, pending, waits } = view;
  const shown = { status, output, state, checkpoints, usage, printed, logs, pending, waits, entries };
  return JSON.parse(JSON.stringify(shown).replaceAll(`${view.run_id}/`, 'run/')) as JsonObject;
}
