import type { Decision, Verdict } from '../../../contract/people/decision.js';
import { TactusError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import type { RunStatus } from '../../../contract/runs/run-view.js';
import { collectFile } from '../../../sources/collect-source.js';
import type { StartOptions } from '../start-input.js';
import type { ProcedureMetadata } from '../../storage/procedure-metadata.js';
import type { StorageBackend } from '../../storage/storage-backend.js';
import { TemporalStorage } from '../../storage/temporal-storage.js';
import type { TactusClient } from '../../tactus-client.js';
import { viewRun } from '../view-run.js';
import { answerOf, toRuntimeResult, waitUntilPaused, type RuntimeResult } from './runtime-result.js';

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
    if (first === undefined)
      throw new TactusError('request_unknown', `${procedureId} asks nobody anything now`);
    if (open.length > 1)
      throw new TactusError('usage', `${procedureId} asks ${open.length} things: name one by \`request\``, {
        requests: open.map(({ id }) => id),
      } satisfies JsonObject);
    return first.id;
  }
}
