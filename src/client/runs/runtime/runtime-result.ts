import type { Verdict } from '../../../contract/people/decision.js';
import type { RunError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { RunStatus } from '../../../contract/runs/status.js';
import type { Stuck } from '../../health/stuck.js';
import { toHITLRequest, type HITLRequest } from './hitl-shapes.js';
import type { Rested } from './until-resting.js';

/** How a procedure stands after `execute` or `resume`. */
export interface RuntimeResult {
  procedure_id: string;
  status: RunStatus;
  /** Whether it has completed. */
  success: boolean;
  /** null until it has completed. */
  output: JsonValue;
  state: JsonObject;
  /** What it failed with. */
  error: RunError | null;
  /** What people are asked, oldest first: by it, and by the runs that it waits for. */
  requests: HITLRequest[];
  /** Id of the oldest of them; null where nobody is asked. */
  pending_message_id: string | null;
  /** What became of the answer that `resume` was given; null without one. */
  decision: Verdict | null;
  /** Why its worker can't go on with it; null where it can. */
  stuck: Stuck | null;
}

export function toRuntimeResult({ view, requests }: Rested, decision: Verdict | null): RuntimeResult {
  const { run_id, status, output, state, error, stuck } = view;
  return {
    procedure_id: run_id,
    status,
    success: status === 'completed',
    output,
    state,
    error,
    requests: requests.map((request) => toHITLRequest(request, Date.now())),
    pending_message_id: requests[0]?.id ?? null,
    decision,
    stuck,
  };
}
