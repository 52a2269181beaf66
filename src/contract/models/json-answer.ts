import { isDeeper, type JsonObject, type JsonValue } from '../json/json.js';
import { defaultLimits } from '../runs/limits.js';

/** A turn's result, and a prediction, hold the answer one level down. */
const deepest = defaultLimits.depth - 1;

/**
 * The object or list that a model's answer is, bare or in a fence of Markdown; null where it is none, or nested too deep
 * to be a value of Lua. A number or a truth value alone is none: whoever asked for words gets them as such.
 */
export function jsonAnswer(text: string): JsonObject | JsonValue[] | null {
  try {
    const value = JSON.parse(withoutFence(text)) as JsonValue;
    return typeof value !== 'object' || isDeeper(value, deepest) ? null : value;
  } catch {
    return null;
  }
}

/** What stands in a fence of Markdown, where the text is nothing else. */
export function withoutFence(text: string): string {
  return /^\s*```[^\n]*\n([^]*?)```\s*$/.exec(text)?.[1] ?? text;
}
