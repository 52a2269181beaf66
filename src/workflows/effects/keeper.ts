import type { JsonValue } from '../../contract/json/json.js';

/** What a kind of effect keeps for a run from its start on, and hands over when the run continues as new. */
export interface EffectState {
  /** null: nothing. */
  handOver(): JsonValue | null;
}
