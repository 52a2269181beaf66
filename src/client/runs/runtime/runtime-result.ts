import type { Verdict } from '../../../contract/people/decision.js';
import type { HumanRequest } from '../../../contract/people/human-request.js';
import type { RunError } from '../../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { RunStatus } from '../../../contract/runs/run-view.js';
import type { Stuck } from '../../health/stuck.js';
import { openRequests } from '../../people/open-requests.js';
import { PollInterval, waitUntilClosed } from '../wait-until-closed.js';
import { viewRun, type RunReport } from '../view-run.js';
import type { TactusClient } from '../../tactus-client.js';

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

export function toRuntimeResult({ view, requests }: PausedRun, decision: Verdict | null): RuntimeResult {
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

// Types, not interfaces: only these can be handed on as JSON objects.

/** What a person is asked, as Tactus has it, with the ids by which it is answered here. */
export type HITLRequest = {
  /** `<run>/<position>`: of a run that the asked-for one has started, that run's. */
  request_id: string;
  procedure_id: string;
  /** `approval`, `input`, `review`, `select`, `inputs`, `upload`, `escalation`. */
  request_type: string;
  message: string;
  /** Time that is left, in seconds; null: for ever. */
  timeout_seconds: number | null;
  default_value: JsonValue;
  options: { label: string; value: JsonValue }[] | null;
  /** `context`, `approvers` and what the author's own application wants to know. */
  metadata: JsonObject;
  /** Of what was shown: named again with the answer, the answer is bound to it. */
  digest: string;
};

/** What a person has answered, as Tactus has it. */
export type HITLResponse = {
  value: JsonValue;
  /** ISO 8601. */
  responded_at: string;
  timed_out: boolean;
};

/** A request of ours in Tactus's shape; `now` in ms since 1970. */
function toHITLRequest(request: HumanRequest, now: number): HITLRequest {
  const { id, run_id, kind, message, context, deadline, approvers, digest } = request;
  return {
    request_id: id,
    procedure_id: run_id,
    request_type: kind === 'multiple' ? 'inputs' : kind,
    message,
    timeout_seconds: deadline === null ? null : Math.max(0, Math.round((Date.parse(deadline) - now) / 1_000)),
    default_value: request.default,
    options: optionsOf(request),
    metadata: { ...request.metadata, ...(context === null ? {} : { context }), approvers },
    digest,
  };
}

function optionsOf({ options, form }: HumanRequest): HITLRequest['options'] {
  if (form?.type === 'select') return form.choices.map(({ label, value }) => ({ label, value }));
  return options.length === 0 ? null : options.map((value) => ({ label: String(value), value }));
}

/** The answer itself: out of a `HITLResponse`, or as it stands, such as `{ approved: true }`. */
export function answerOf(response: JsonValue): JsonValue {
  const isResponse =
    isObject(response) &&
    Object.hasOwn(response, 'value') &&
    (Object.hasOwn(response, 'responded_at') || Object.hasOwn(response, 'timed_out'));
  return isResponse ? (getOwn(response, 'value') ?? null) : response;
}

/** A run that nothing but a person, a time or a mended worker lets go on; or one that has ended. */
interface PausedRun {
  view: RunReport;
  /** What people are asked, by it and by the runs that it waits for, oldest first. */
  requests: HumanRequest[];
}

/**
 * Waits until a run has ended, or rests: waits for a person, for a time more than a minute off, or is stuck.
 * @throws TactusError run_not_found; no_worker where an open run doesn't answer
 * @throws whatever the signal was aborted with; the run goes on
 */
export async function waitUntilPaused(
  tactus: TactusClient,
  runId: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<PausedRun> {
  const over = new AbortController();
  const look = (id: string): Promise<RunReport> => viewRun(tactus.attach(id));
  const pace = new PollInterval(waitUntilClosed(tactus.attach(runId).handle, over.signal), signal);
  try {
    for (let seen = -1; ;) {
      signal.throwIfAborted();
      const view = await look(runId);
      if (view.closed_at !== null) return { view, requests: [] };
      const { requests, waitsFor, stuck } = await openRequests(view, look);
      if (waitsFor !== null || stuck.size > 0) return { view, requests };
      await pace.next(view.checkpoints !== seen);
      seen = view.checkpoints;
    }
  } finally {
    over.abort();
  }
}
