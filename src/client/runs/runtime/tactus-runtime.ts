import type { Decision, Verdict } from '../../../contract/people/decision.js';
import type { HumanRequest } from '../../../contract/people/human-request.js';
import { TactusError, type RunError } from '../../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import type { RunStatus } from '../../../contract/runs/run-view.js';
import { collectFile } from '../../../sources/collect-source.js';
import type { StartOptions } from '../start-input.js';
import type { ProcedureMetadata } from '../../storage/procedure-metadata.js';
import type { StorageBackend } from '../../storage/storage-backend.js';
import { TemporalStorage } from '../../storage/temporal-storage.js';
import type { TactusClient } from '../../tactus-client.js';
import { viewRun, type RunReport } from '../view-run.js';
import { PollInterval, waitUntilClosed } from '../wait-until-closed.js';
import type { Stuck } from '../../health/trouble.js';
import { openRequests } from '../../people/open-requests.js';

export interface TactusRuntimeOptions {
  client: TactusClient;
  /** Where `getCheckpoint` reads; left out: Temporal itself. A mirror answers without a worker, and may lag a moment behind. */
  storage?: StorageBackend;
}

export interface ExecuteOptions extends Omit<StartOptions, 'runId'> {
  /** One that is there already is followed, never started a second time. Left out: a new one. */
  procedureId?: string;
  /** Ends the waiting, and not the procedure. */
  signal?: AbortSignal;
}

export interface ResumeOptions extends Pick<Decision, 'by' | 'comment' | 'token'> {
  /** Which request is answered, where several are open. */
  request?: string;
  /** Of what the person saw: if the request shows something else by now, the answer is refused. */
  digest?: string;
  /** Ends the waiting, and not the procedure. */
  signal?: AbortSignal;
}

/**
 * The runtime as the design of Tactus has it (section "Invocation API"), over runs on Temporal: whoever waits for a procedure
 * may end, and another process goes on with `resume`.
 */
export class TactusRuntime {
  private readonly tactus: TactusClient;
  private readonly storage: StorageBackend;

  constructor({ client, storage }: TactusRuntimeOptions) {
    this.tactus = client;
    this.storage = storage ?? new TemporalStorage(client);
  }

  /**
   * Starts a procedure, and follows it until it has ended or waits for a person (or for a time more than a minute off).
   * That it failed stands in the result; what is refused before it starts is thrown.
   * @param procedure path of a `.tac` file, or its source
   * @throws TactusError source_not_found, source_invalid, no_procedure, input_invalid; run_conflict where the id has another
   *   source or input; no_worker where an open procedure doesn't answer
   */
  async execute(
    procedure: string | ProcedureSource,
    input: JsonValue = {},
    { procedureId, signal, ...options }: ExecuteOptions = {},
  ): Promise<RuntimeResult> {
    const source = typeof procedure === 'string' ? await collectFile(procedure) : procedure;
    const started = procedureId === undefined ? options : { ...options, runId: procedureId };
    const { runId } = await this.tactus.start(source, input, started);
    return toRuntimeResult(await waitUntilPaused(this.tactus, runId, signal), null);
  }

  /**
   * Answers what a procedure asks, and follows it as `execute` does; without an answer it is followed alone.
   * @param hitlResponse the answer (`{ approved: true }`, a text …), or a `HITLResponse` with it. What became of it is
   *   `decision` of the result
   * @throws TactusError run_not_found; request_unknown where nothing is asked; usage where several things are, and none is named
   */
  async resume(
    procedureId: string,
    hitlResponse?: JsonValue,
    { signal, ...given }: ResumeOptions = {},
  ): Promise<RuntimeResult> {
    const decision = hitlResponse === undefined ? null : await this.decide(procedureId, hitlResponse, given);
    return toRuntimeResult(await waitUntilPaused(this.tactus, procedureId, signal), decision);
  }

  /**
   * How a procedure stands: `running`, `waiting_for_human`, `completed`, `failed` …
   * @throws TactusError run_not_found; no_worker where an open procedure doesn't answer
   */
  async getStatus(procedureId: string): Promise<RunStatus> {
    return (await viewRun(this.tactus.attach(procedureId))).status;
  }

  /** The whole record of a procedure, with its log; null where there is none. */
  async getCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    return this.storage.loadCheckpoint(procedureId);
  }

  private async decide(
    procedureId: string,
    response: JsonValue,
    { request, ...given }: Omit<ResumeOptions, 'signal'>,
  ): Promise<Verdict> {
    const id = request ?? (await this.onlyRequest(procedureId));
    return this.tactus.decide({ request: id, value: answerOf(response), ...given });
  }

  private async onlyRequest(procedureId: string): Promise<string> {
    const open = await this.tactus.pending(procedureId);
    const [first] = open;
    if (first === undefined) throw new TactusError('request_unknown', `${procedureId} has no open request`);
    if (open.length > 1)
      throw new TactusError(
        'usage',
        `${procedureId} has ${open.length} open requests: name one by \`request\``,
        {
          requests: open.map(({ id }) => id),
        } satisfies JsonObject,
      );
    return first.id;
  }
}

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

function toRuntimeResult({ view, requests }: PausedRun, decision: Verdict | null): RuntimeResult {
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
function answerOf(response: JsonValue): JsonValue {
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
async function waitUntilPaused(
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
