import type { Checkpoint } from '../../src/contract/checkpoints/checkpoint.js';

/** A checkpoint of the top level, by its place in the log. */
export function aCheckpoint(position: number): Checkpoint {
  return {
    ...{ position: String(position), type: 'explicit_checkpoint', name: 'checkpoint', digest: '' },
    outcome: { ok: true, value: position },
    at: 1_000 + position,
    ...{ durationMs: 0, source: null, input: null },
  };
}
