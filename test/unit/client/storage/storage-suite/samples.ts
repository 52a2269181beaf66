import type { JsonObject, JsonValue } from '../../../../../src/contract/json/json.js';
import type {
  CheckpointEntry,
  Growth,
  ProcedureMetadata,
} from '../../../../../src/client/storage/procedure-metadata.js';

/** A record in which everything is set, with what is awkward in JSON. */
export const full: ProcedureMetadata = {
  procedure_id: 'run-1',
  execution_log: [
    {
      position: 0,
      type: 'agent_writer_turn',
      result: { output: 'grün 😀 \u0000\ud800' },
      timestamp: '2026-01-01T00:00:00.000+00:00',
      duration_ms: 12.5,
      input_hash: null,
      run_id: 'run-1',
      source_location: { file: 'a.tac', line: 3, function: null, code_context: null },
      captured_vars: { n: 1 },
    },
  ],
  replay_index: 1,
  state: JSON.parse('{"n": 9007199254740991, "deep": [[{"": null}]], "__proto__": {"x": 1}}') as JsonObject,
  lua_state: { a: [] },
  status: 'WAITING_FOR_HUMAN',
  waiting_on_message_id: 'run-1/1',
};

export function entry(position: number, result: JsonValue = position): CheckpointEntry {
  return {
    ...{ position, type: 'step', result, timestamp: '2026-01-01T00:00:00.000+00:00', duration_ms: 1 },
    ...{ input_hash: null, run_id: 'run-1', source_location: null, captured_vars: null },
  };
}

/** What is new of a record of so many entries; its state says how many there are then. */
export function growth(from: number, entries: readonly CheckpointEntry[], status = 'RUNNING'): Growth {
  return {
    ...{ from, entries, status },
    state: { count: from + entries.length },
    waiting_on_message_id: status === 'RUNNING' ? null : 'run-1/9',
  };
}
