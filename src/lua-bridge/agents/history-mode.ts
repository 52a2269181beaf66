import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';

/**
 * What `message_history = {mode = …}` of an agent, or of one turn, may say: `isolated`, the model is sent what this turn
 * says alone, and nothing of it is kept; `shared`, it is sent what all agents said.
 */
export type HistoryMode = 'isolated' | 'shared';

/** @throws TactusError source_invalid where it is neither */
export function readHistoryMode(given: JsonValue, what: string): HistoryMode | null {
  if (given === null || given === 'isolated' || given === 'shared') return given;
  throw new TactusError(
    'source_invalid',
    `${what}: message_history.mode must be "isolated" or "shared", got ${JSON.stringify(given)}`,
  );
}
