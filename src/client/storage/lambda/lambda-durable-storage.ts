import type { Event, Execution } from '@aws-sdk/client-lambda';
import { hasCode, TactusError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import { eachLimit } from '../../concurrency.js';
import type { ProcedureMetadata } from '../procedure-metadata.js';
import {
  checkFilter,
  checkProcedureId,
  compareIds,
  damagedRecord,
  ReadOnlyStorage,
  type CheckpointFilter,
  type StorageBackend,
} from '../storage-backend.js';
import { DurableContextStorage, notDeleted, type DurableContext } from './durable-context-storage.js';
import { DurableFunction } from './durable-function.js';
import { durableOperations, endedStatus, openCallbacks, toDurableRecord } from './durable-record.js';

/** Lambda answers some fifteen questions of history a second. */
const atOnce = 4;
const largestAnswer = 262_144;

/**
 * The executions of a durable function of AWS Lambda as records: their names are the ids. Lambda takes no writing from outside of a
 * function; what a function records of itself, it writes by `within`.
 */
export class LambdaDurableStorage extends ReadOnlyStorage implements StorageBackend {
  protected readonly whyNotWritten =
    'only its own function records what a durable execution does, by LambdaDurableStorage.within';

  private constructor(private readonly durable: DurableFunction) {
    super();
  }

  /**
   * Opens `lambda:FUNCTION?region=…&endpoint=…`. Credentials are found as the SDK of AWS does.
   * @throws TactusError missing_package; usage where the address is none
   */
  static async open(address: string): Promise<LambdaDurableStorage> {
    return new LambdaDurableStorage(await DurableFunction.open(address));
  }

  /**
   * The record of the execution that a handler runs for, to be opened by each invocation, and at the same place among its steps. Whatever
   * is written is a step of the execution; what isn't awaited when the handler ends may be lost.
   * @param context what `withDurableExecution` gives the handler, not a child of it
   * @param procedureId the name of the execution, where its ARN doesn't say it, as those of local runners
   * @throws TactusError usage
   */
  static async within(
    context: DurableContext,
    procedureId: string = nameOf(context),
  ): Promise<StorageBackend & { readonly procedureId: string }> {
    checkProcedureId(procedureId);
    return DurableContextStorage.open(context, procedureId);
  }

  override async loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    checkProcedureId(procedureId);
    const execution = (await this.durable.executions(procedureId)).get(procedureId);
    return execution === undefined ? null : this.#read(procedureId, execution);
  }

  async getState(procedureId: string): Promise<JsonObject> {
    return (await this.loadProcedureMetadata(procedureId)).state;
  }

  /** By status, each execution that goes on is asked for its history. */
  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    checkFilter(filter);
    const { status, prefix = '', limit = Infinity, after = '' } = filter;
    const executions = await this.durable.executions();
    const ids = [...executions.keys()].filter((id) => id.startsWith(prefix) && compareIds(id, after) > 0);
    const found: string[] = [];
    for (let from = 0, ordered = ids.sort(compareIds); from < ordered.length; from += atOnce) {
      if (found.length >= limit) break;
      const some = ordered.slice(from, from + atOnce);
      const standing = status === undefined ? null : await this.#statuses(some, executions);
      found.push(...some.filter((id) => standing === null || standing.get(id) === status));
    }
    return found.slice(0, limit);
  }

  /**
   * Answers the callback that an execution waits for: the function is given the answer as JSON.
   * @param request which callback, where several are open: its id, as `waiting_on_message_id` has it
   * @throws TactusError run_not_found; request_unknown where nothing is asked, or no more; usage where several things are, and none is
   *   named; payload_too_large
   */
  async answer(procedureId: string, value: JsonValue, request?: string): Promise<void> {
    const execution = (await this.durable.executions(procedureId)).get(procedureId);
    if (execution === undefined)
      throw new TactusError('run_not_found', `${this.durable.name} has no execution ${procedureId}`);
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    if (bytes > largestAnswer)
      throw new TactusError(
        'payload_too_large',
        `an answer of ${bytes} bytes is larger than the ${largestAnswer} that Lambda takes`,
      );
    const open = openCallbacks(durableOperations(await this.durable.history(execution))).map(
      ({ callback }) => callback ?? '',
    );
    const asked = request === undefined ? open : open.filter((id) => id === request);
    if (asked.length > 1)
      throw new TactusError(
        'usage',
        `${procedureId} has ${asked.length} open requests: name the callback of one`,
        {
          requests: asked,
        },
      );
    const [callback] = asked;
    if (callback === undefined || !(await this.durable.succeed(callback, text)))
      throw new TactusError(
        'request_unknown',
        `${procedureId} has no open request${request === undefined ? '' : ' with this id'}`,
      );
  }

  async close(): Promise<void> {
    this.durable.close();
  }

  /** @throws TactusError usage, always: Lambda deletes executions when their retention is over, and at nobody's word */
  async deleteCheckpoint(procedureId: string): Promise<void> {
    checkProcedureId(procedureId);
    throw notDeleted(procedureId);
  }

  async #read(procedureId: string, execution: Execution): Promise<ProcedureMetadata> {
    return recordOf(procedureId, execution, await this.durable.history(execution));
  }

  /** A record that can't be read has no status. */
  async #statuses(
    ids: readonly string[],
    executions: ReadonlyMap<string, Execution>,
  ): Promise<Map<string, string>> {
    const statuses = new Map<string, string>();
    await eachLimit(ids, atOnce, async (id) => {
      const execution = executions.get(id);
      const ended = endedStatus(execution?.Status);
      if (ended !== null) statuses.set(id, ended);
      else if (execution !== undefined) {
        const events = await this.durable.history(execution);
        const status = statusOf(id, execution, events);
        if (status !== null) statuses.set(id, status);
      }
    });
    return statuses;
  }
}

/** @throws TactusError file_failed where it can't be read; usage where a newer version of this package has made it */
function recordOf(procedureId: string, { Status }: Execution, events: readonly Event[]): ProcedureMetadata {
  try {
    return toDurableRecord(procedureId, Status, durableOperations(events));
  } catch (error) {
    if (error instanceof TactusError && /newer version/.test(error.message)) throw error;
    throw damagedRecord(`the record of ${JSON.stringify(procedureId)} in Lambda`, error);
  }
}

function statusOf(procedureId: string, execution: Execution, events: readonly Event[]): string | null {
  try {
    return recordOf(procedureId, execution, events).status;
  } catch (error) {
    if (hasCode(error, 'file_failed')) return null;
    throw error;
  }
}

/** @throws TactusError usage */
function nameOf({ executionContext: { durableExecutionArn: arn } }: DurableContext): string {
  const [, name] = /^arn:[^/]*\/durable-execution\/([^/]+)\/[^/]+$/.exec(arn) ?? [];
  if (name !== undefined) return name;
  throw new TactusError('usage', `The ARN ${arn} doesn't say the name of the execution: name the procedure`);
}
