import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';

/** `message_history = {compact = {over =, keep =, model =, prompt =}}`: when a long conversation is summed up, and how. */
export interface Compaction {
  /** Tokens of the conversation past which it is. */
  over: number;
  /** Tokens of its newest messages that stay as they are. */
  keep: number;
  /** Which model is asked; null: that of the turn. */
  model: string | null;
  /** What it is asked for; null: `defaultPrompt`. */
  prompt: string | null;
}

/** What stands in place of the older part of a conversation, for one agent. */
export interface Compacted {
  summary: string;
  /** Id of the last message that it stands for. */
  upTo: number;
}

/** Where nobody says how much is kept: a part of what is too much. */
const keptPart = 1 / 4;

export const defaultPrompt = `Sum up this conversation so far, for yourself: the summary will stand in place of all but its newest messages. \
Keep what the task needs: what was asked for and under which conditions, what was decided and why, facts with their exact names, \
numbers and identifiers, what was tried and failed, and what is left to do. Answer with the summary alone, and call no tool.`;

/** @throws TactusError source_invalid naming what is wrong */
export function readCompaction(given: JsonValue, what: string): Compaction | null {
  if (given === null || given === false) return null;
  const where = `${what}: message_history.compact`;
  const { over, keep, model = null, prompt = null, ...others } = isObject(given) ? given : {};
  const [stranger] = Object.keys(others);
  if (stranger !== undefined)
    throw new TactusError(
      'source_invalid',
      `${where} has no ${stranger}: it has over, keep, model and prompt`,
    );
  if (!isCount(over))
    throw new TactusError(
      'source_invalid',
      `${where} needs over, the tokens past which the conversation is summed up: {over = 50000}`,
    );
  const kept = keep === undefined ? Math.floor(over * keptPart) : keep;
  if (!isCount(kept) || kept >= over)
    throw new TactusError(
      'source_invalid',
      `${where}.keep must be a number of tokens below over, got ${JSON.stringify(keep)}`,
    );
  for (const [name, text] of Object.entries({ model, prompt }))
    if (text !== null && (typeof text !== 'string' || text === ''))
      throw new TactusError('source_invalid', `${where}.${name} must be a text, got ${JSON.stringify(text)}`);
  return { over, keep: kept, model: model as string | null, prompt: prompt as string | null };
}

function isCount(given: JsonValue | undefined): given is number {
  return typeof given === 'number' && Number.isInteger(given) && given > 0;
}
