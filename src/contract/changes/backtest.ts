import type { NamedCheckpoint, RunError } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { RunStatus } from '../runs/run-view.js';

/** How a run stands at the end of its log. */
export interface LogEnd {
  /** Of a run that went on, or was ended from outside, its status then. */
  status: RunStatus;
  output: JsonValue;
  state: JsonObject;
  error: RunError | null;
}

/** What a log says of another source. */
export type BacktestVerdict = 'same' | 'differs' | 'diverges' | 'failed';

/** A past run, and what another source makes of its log. */
export interface BacktestedRun {
  run_id: string;
  verdict: BacktestVerdict;
  /** Where it diverges, or of the first checkpoint that a source that failed no longer came to; null: at the end of the log. */
  position: string | null;
  /** Of the new source. */
  file: string | null;
  line: number | null;
  /** How the run ended, and how it ends with the new source; null where they are the same, and where it diverges. */
  before: LogEnd | null;
  after: LogEnd | null;
  /** Where it diverges: what is recorded, and what is asked for now; null: nothing. */
  expected: NamedCheckpoint | null;
  found: NamedCheckpoint | NamedCheckpoint[] | null;
  /** In one sentence; null where nothing differs. */
  message: string | null;
  /** In US dollars: what models were paid for the run, and what the same costs with the new source; null: it isn't known. */
  cost_usd: { before: number | null; after: number | null };
}

/** `backtest --json`. */
export interface BacktestReport {
  runs: BacktestedRun[];
  same: number;
  differs: number;
  diverges: number;
  failed: number;
}
