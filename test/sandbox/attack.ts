import type { JsonValue } from '../../src/contract/json/json.js';
import type { Limits } from '../../src/contract/runs/limits.js';

/** A hostile procedure. */
export interface Attack {
  source: string;
  /** What it may require. */
  files?: Record<string, string>;
  limits?: Partial<Limits>;
}

/** How it ended. `crashed`: something else than a TactusError left the program, which is a fault of the bridge. */
export type AttackEnd =
  | { kind: 'completed'; output: JsonValue }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'waiting' }
  | { kind: 'crashed'; message: string };

export interface AttackReport {
  end: AttackEnd;
  cpuMs: number;
  /** The longest that one turn of the program took. */
  turnMs: number;
  /** How much memory the process took at its peak, above what any run takes. */
  grownMiB: number;
}
