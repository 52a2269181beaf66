import type { JsonValue } from '../../json/json.js';

/** C1 controls, invisible characters and those that turn the direction of writing: JSON leaves them as they are. */
const invisible = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/**
 * A value from outside as one short line of JSON, for messages that people read on terminals: nothing in it can
 * end the line, move the cursor or hide text.
 */
export function quoteText(value: JsonValue, longest = 80): string {
  const text = JSON.stringify(typeof value === 'string' ? cut(value, longest) : value).replace(
    invisible,
    escaped,
  );
  return typeof value === 'string' ? text : cut(text, longest);
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
