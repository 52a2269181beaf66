import type { JsonValue } from '../contract/json.js';

/** The JSON of `tactus-temporal evaluate`. */
export interface EvaluationResults {
  /** Every evaluation reached its thresholds. */
  passed: boolean;
  evaluations: EvaluationResult[];
}

export interface EvaluationResult {
  file: string;
  /** Share of the runs that passed, from 0 to 1. */
  success_rate: number;
  passed: boolean;
  /** Thresholds that were not reached. */
  problems: string[];
  runs: EvaluationRunResult[];
}

export interface EvaluationRunResult {
  case: string;
  status: 'passed' | 'failed';
  problems: string[];
  /** What nobody could tell. */
  unknown: string[];
  output: JsonValue;
  tokens: number;
  /** null: not known. */
  cost_usd: number | null;
  duration_ms: number;
  run_id: string;
}
