import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { superStepGroups } from '../../contract/graphs/super-step-groups.js';
import { defined } from '../../contract/json/json.js';
import type { LogEntryView, Wait } from '../../contract/runs/run-view.js';
import type { Standing } from '../../page/runs/graph-layout.js';
import type { Waiting } from './perform.js';
import type { RunView } from './run-host.js';

const waitKinds = { model: 'activity', person: 'human', time: 'time', event: 'event' } as const;

/** Where a run stands in the drawing of its procedure, as the page of `serve` has it. */
export function standingOf({ log, waits, error, status }: RunView): Standing {
  const entries = log.map(entryOf);
  const open = waits.map(waitOf);
  const isOver = status === 'completed' || status === 'failed';
  return {
    run: { waits: open, error },
    log: entries,
    steps: superStepGroups({ entries, pending: [], waits: open, isOver }),
  };
}

function waitOf({ position, kind, name, source, since }: Waiting & { since: number }): Wait {
  const at = { position, name, since: new Date(since).toISOString() };
  return { ...at, kind: waitKinds[kind], ...defined({ source: source ?? undefined }) };
}

function entryOf({ position, name, type, outcome, input, at, durationMs, source }: Checkpoint): LogEntryView {
  return {
    ...{ position, name, type, input, source, request: null },
    status: outcome.ok ? 'completed' : 'failed',
    result: outcome.ok ? outcome.value : null,
    error: outcome.ok ? null : outcome.message,
    timestamp: new Date(at).toISOString(),
    duration_ms: durationMs,
  };
}
