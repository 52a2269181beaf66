import { runIdOf, stuckError, viewRun } from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { IndexedRequest } from '../../read-model/run-index.js';
import { askingOf, type ServedNamespace } from '../served-namespace.js';

/** A request that is open no more. */
export interface ClosedRequest {
  id: string;
  run_id: string;
  position: string;
  kind: string;
  message: string;
  asked: JsonValue;
  answer: JsonValue;
  error: string | null;
  /** When it was asked. After a run that continued as new meanwhile: when the run asked for it again. */
  created_at: string;
  closed_at: string;
}

export type RequestState =
  { state: 'open'; request: IndexedRequest } | { state: 'closed'; request: ClosedRequest };

/**
 * A request as its run has it at this moment: people decide on nothing else. Of one that is open no more, what became of it.
 * @throws TactusError request_unknown; run_stuck; no_worker
 */
export async function readRequest(namespace: ServedNamespace, id: string): Promise<RequestState> {
  const runId = runIdOf(id);
  const unknown = new TactusError('request_unknown', `There is no request ${JSON.stringify(id)}`);
  if (runId === '' || runId === id) throw unknown;
  const run = namespace.tactus.attach(runId);
  const asking = askingOf(namespace);
  const view = await viewRun(run, asking).catch((error: unknown) => {
    throw error instanceof TactusError && error.code === 'run_not_found' ? unknown : error;
  });
  if (view.stuck !== null) throw stuckError(runId, view.stuck);
  const open = view.pending.find((request) => request.id === id);
  if (open !== undefined) return { state: 'open', request: { ...open, procedure: view.procedure } };
  const { items } = await run.logFrom(0, (question) => asking.ask(question, view.closed_at === null));
  const entry = items.find(({ type, position }) => type.startsWith('hitl_') && `${runId}/${position}` === id);
  if (entry === undefined) throw unknown;
  const { position, type, name, request, result, error, timestamp, duration_ms } = entry;
  return {
    state: 'closed',
    request: {
      ...{ id, run_id: runId, position, kind: type.slice('hitl_'.length), message: name },
      ...{ asked: request, answer: result, error },
      created_at: new Date(Date.parse(timestamp) - duration_ms).toISOString(),
      closed_at: timestamp,
    },
  };
}
