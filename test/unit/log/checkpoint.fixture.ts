import type { Checkpoint } from '../../../src/contract/checkpoints/checkpoint.js';

/** A checkpoint of an effect, with what a test changes. */
export function aCheckpoint(position: string, change: Partial<Checkpoint> = {}): Checkpoint {
  return {
    position,
    type: 'file',
    name: 'read x',
    digest: 'a',
    outcome: { ok: true, value: position },
    at: 1_000,
    durationMs: 5,
    source: { file: 'main.tac', line: 1 },
    input: { path: 'x' },
    ...change,
  };
}
