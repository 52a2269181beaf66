import type { Client } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { TactusError } from '../../contract/errors.js';
import { canonicalJson, type JsonValue } from '../../contract/json/json.js';
import { workflowType } from '../../contract/names.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import { procedureName, sourceHash, type ProcedureSource } from '../../contract/procedures/source.js';
import { readStartInput, type StartInput } from '../../contract/runs/start-input.js';
import { startedEvent } from './started-event.js';

/**
 * What a run was started with, as its history has it; null where there is no run of this id.
 * @throws TactusError run_conflict where the id belongs to a workflow that is no run of ours
 */
export async function startOfRun(client: Client, runId: string): Promise<StartInput | null> {
  const started = await startedEvent(client, runId);
  if (started === null) return null;
  if (started.workflowType?.name !== workflowType)
    throw new TactusError(
      'run_conflict',
      `The id ${runId} belongs to a workflow of the type ${started.workflowType?.name ?? 'unknown'}`,
    );
  const { loadedDataConverter } = client.options;
  return readStartInput(await decodeFromPayloadsAtIndex(loadedDataConverter, 0, started.input?.payloads));
}

/**
 * Refuses to take a run for another one that has its id.
 * @throws TactusError run_conflict saying what differs
 */
export function assertSameStart(
  runId: string,
  started: StartInput,
  { source, input, task }: { source: ProcedureSource; input: JsonValue; task?: string | undefined },
): void {
  const conflict = (what: string): TactusError =>
    new TactusError(
      'run_conflict',
      `There is a run ${runId} already, with ${what}. Choose another id, or go on with that run: tactus-temporal resume ${lastArgument(runId)}`,
      { run_id: runId },
    );
  const isSame =
    started.source === undefined
      ? started.procedure === procedureName(source)
      : sourceHash(started.source) === sourceHash(source);
  if (!isSame) throw conflict('another source');
  if (canonicalJson(started.input ?? {}) !== canonicalJson(input)) throw conflict('another input');
  if ((started.task ?? '') !== (task ?? '')) throw conflict('another task');
}
