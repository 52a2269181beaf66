import type { JsonObject, JsonValue } from './json.js';

/**
 * The object or list that a model's answer is, bare or in a fence of Markdown; null where it is none. A number or a
 * truth value alone is none: whoever asked for words gets them as such.
 */
export function jsonAnswer(text: string): JsonObject | JsonValue[] | null {
  const fenced = /^\s*```[^\n]*\n([^]*?)```\s*$/.exec(text);
  try {
    const value = JSON.parse(fenced?.[1] ?? text) as JsonValue;
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
