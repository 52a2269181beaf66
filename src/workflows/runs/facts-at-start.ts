import { sentKinds } from '../../contract/runs/handed-work.js';
import type { Carry, StartInput } from '../../contract/runs/start-input.js';
import { statusOfWaits } from '../../contract/runs/status.js';
import type { RunFacts } from './views.js';

function isSent(kind: string): boolean {
  return sentKinds.some((each) => each === kind);
}

/** What is shown of a run whose source is yet to be found. */
export function factsAtStart(runId: string, input: StartInput, carry: Carry, engine: number): RunFacts {
  const { carry: _, ...start } = input;
  return {
    runId,
    procedure: input.procedure ?? input.source?.entry ?? '',
    status: statusOfWaits(new Set()),
    ending: null,
    pending: carry.ledger.open,
    waits: [],
    children: carry.children.map((position) => `${runId}/${position}`),
    log: [],
    ended: 0,
    work: {
      requests: carry.ledger.open,
      answered: carry.ledger.closed.filter(({ answer }) => answer !== null),
      early: carry.ledger.early,
      kept: Object.fromEntries(Object.entries(carry.kept ?? {}).filter(([kind]) => isSent(kind))),
      deadlines: carry.deadlines,
      since: {},
    },
    usage: carry.usage,
    budgets: [],
    unheard: [],
    shown: [],
    state: {},
    startedAt: carry.startedAt,
    started: { start, engine, startedAt: carry.startedAt, seed: carry.seed },
  };
}
