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
  const text = JSON.stringify(shown)
    .replaceAll(`${view.run_id}/`, 'run/')
    // Snapshots of graphs name their run, and say when they were made.
    .replaceAll(`"thread":${JSON.stringify(view.run_id)}`, '"thread":"run"')
    .replace(/"created_at":"[^"]*"/g, '"created_at":"then"');
  return JSON.parse(text) as JsonObject;
}
