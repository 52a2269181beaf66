import type { CheckpointEntry } from '../../dist/client/storage/procedure-metadata.js';

/** An entry of some 500 bytes, as a prediction leaves one. */
export function entryAt(runId: string, position: number): CheckpointEntry {
  return {
    position,
    type: 'model_predict',
    result: { text: 'x'.repeat(200) },
    timestamp: new Date(1_000 * position).toISOString().replace('Z', '+00:00'),
    duration_ms: 5,
    input_hash: `2:${'0'.repeat(32)}`,
    run_id: runId,
    source_location: { file: 'main.tac', line: 1, function: null, code_context: null },
    captured_vars: null,
  };
}
