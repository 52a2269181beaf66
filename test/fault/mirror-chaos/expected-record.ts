import type { TactusRun } from '../../../src/client/tactus-run.js';
import { emptyMetadata, type ProcedureMetadata } from '../../../src/client/storage/procedure-metadata.js';
import { isObject, type JsonValue } from '../../../src/contract/json/json.js';
import { unpackLog } from '../../../src/log/pack.js';

/** What the record of a run has to be, from what its run and the server say of it one by one, and not by the way of the mirror. */
export async function expectedRecord(run: TactusRun): Promise<Omit<ProcedureMetadata, 'mirrored'>> {
  const { status: end } = await run.handle.describe();
  const view = await run.status().catch((error: unknown) => unlessUnseen(error));
  if (view === null) return { ...emptyMetadata(run.runId), status: end.name };
  const [state, { execution_log: entries }] = [await run.state(), await run.log()];
  const packed = await run.packedCheckpoints();
  const digests = new Map(unpackLog(packed).map(({ position, digest }) => [position, digest]));
  const log = entries
    .filter(({ position }) => !position.includes('.'))
    .sort((a, b) => Number(a.position) - Number(b.position));
  const isOpen = end.name === 'RUNNING';
  return {
    procedure_id: run.runId,
    execution_log: log.map((entry) => ({
      position: Number(entry.position),
      type: entry.type,
      result: toResult(entry.type, entry.result, entry.timestamp),
      timestamp: entry.timestamp.replace('Z', '+00:00'),
      duration_ms: entry.duration_ms,
      input_hash: digests.get(entry.position) || null,
      run_id: run.runId,
      source_location:
        entry.source === null
          ? null
          : { file: entry.source.file, line: entry.source.line, function: null, code_context: null },
      captured_vars: null,
    })),
    replay_index: log.length,
    state,
    lua_state: {},
    status: isOpen ? view.status.toUpperCase() : end.name,
    waiting_on_message_id: isOpen ? (view.pending[0]?.id ?? null) : null,
  };
}

/** Of a run that was over before any worker saw it, nobody can be asked. */
function unlessUnseen(error: unknown): null {
  const { cause } = error as { cause?: { details?: string } };
  if (cause?.details?.includes('closed before WorkflowTaskStarted') === true) return null;
  throw error;
}

function toResult(type: string, result: JsonValue, timestamp: string): JsonValue {
  if (!type.startsWith('hitl_') || !isObject(result)) return result;
  return {
    ...{ __pydantic__: true, __model__: 'HITLResponse', value: result['value'] ?? null },
    ...{ responded_at: timestamp.replace('Z', '+00:00'), timed_out: result['timed_out'] ?? false },
  };
}
