import { readJson } from '../../contract/json/read-json.js';
import type { JsonValue } from '../../contract/json/json.js';

/** How many times the length of a text is read in all: braces that close nothing would else be read to the end each. */
const mostReadings = 20;

/**
 * The objects and lists that stand in a text, in order, whatever is said around them: in fences of Markdown, say, or after
 * words. None that stands in another one is among them.
 */
export function jsonInText(text: string): { value: JsonValue; text: string }[] {
  const found: { value: JsonValue; text: string }[] = [];
  let left = mostReadings * text.length;
  for (let at = nextStart(text, 0); at >= 0 && left > 0;) {
    const end = endOf(text, at);
    left -= (end < 0 ? text.length : end) - at;
    const json = end < 0 ? '' : text.slice(at, end);
    const value = valueOf(json);
    if (value !== undefined) found.push({ value, text: json });
    at = nextStart(text, value === undefined ? at + 1 : end);
  }
  return found;
}

function nextStart(text: string, from: number): number {
  const at = text.slice(from).search(/[{[]/);
  return at < 0 ? -1 : from + at;
}

/** Where what is opened at `start` is closed; -1: it isn't. */
function endOf(text: string, start: number): number {
  const open: string[] = [];
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') {
      at = endOfString(text, at);
      if (at < 0) return -1;
    } else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if (character === '}' || character === ']') {
      if (open.pop() !== character) return -1;
      if (open.length === 0) return at + 1;
    }
  }
  return -1;
}

/** Of the quote that closes it; -1: none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function valueOf(json: string): JsonValue | undefined {
  try {
    return json === '' ? undefined : readJson(json);
  } catch {
    return undefined;
  }
}
