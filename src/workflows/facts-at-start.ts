import type { Carry, StartInput } from '../contract/start-input.js';
import { statusOfWaits } from '../contract/status.js';
import type { RunFacts } from './views.js';

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
    usage: carry.usage,
    budgets: [],
    unheard: [],
    shown: [],
    state: {},
    startedAt: carry.startedAt,
    started: { start, engine, startedAt: carry.startedAt, seed: carry.seed },
  };
}
