import { PerRun } from '../kernel/per-run.js';
import type { Fields, Schema } from '../values/schema.js';

/** Schemas of a file in script mode, declared by `input {…}` and its like. */
export interface Script {
  input: Fields | null;
  output: Schema | null;
  state: Fields;
}

export const script = new PerRun((): Script => ({ input: null, output: null, state: {} }));
