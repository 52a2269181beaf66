import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { MirrorMark } from './mirror-mark.js';

// Types, not interfaces: only these can be handed on as JSON objects.

/** A procedure's record as Tactus keeps it: these names and shapes are its own. */
export type ProcedureMetadata = {
  procedure_id: string;
  execution_log: CheckpointEntry[];
  replay_index: number;
  state: JsonObject;
  lua_state: JsonObject;
  /** `RUNNING`, `WAITING_FOR_HUMAN`, …, `COMPLETED`, `FAILED`. */
  status: string;
  waiting_on_message_id: string | null;
  /** Of the copy of a run alone. Tactus passes it over when it reads, and drops it when it writes. */
  mirrored?: MirrorMark;
};

/** One entry of the execution log. Times are ISO 8601 with `+00:00`, which every Python reads. */
export type CheckpointEntry = {
  position: number;
  type: string;
  result: JsonValue;
  timestamp: string;
  duration_ms: number | null;
  input_hash: string | null;
  run_id: string | null;
  source_location: SourceLocation | null;
  captured_vars: JsonObject | null;
};

export type SourceLocation = {
  file: string;
  line: number;
  function: string | null;
  code_context: string | null;
};

/** The record of a procedure of which nothing is known yet. */
export function emptyMetadata(procedureId: string): ProcedureMetadata {
  return {
    procedure_id: procedureId,
    execution_log: [],
    replay_index: 0,
    state: {},
    lua_state: {},
    status: 'RUNNING',
    waiting_on_message_id: null,
  };
}
