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
    // Snapshots of graphs name their run.
    .replaceAll(`"thread":${JSON.stringify(view.run_id)}`, '"thread":"run"');
  return JSON.parse(text, (key, value: unknown) =>
    ofTiming.includes(key) ? undefined : value,
  ) as JsonObject;
}

/** Of graphs: when snapshots were made, how often intents were tried, and how far they were sent by the end of a super-step. */
const ofTiming = ['created_at', 'attempts', 'outbox'];
