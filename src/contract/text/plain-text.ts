import { utf8Length, type JsonValue } from '../json/json.js';

/** Control characters but tab and line feed; a terminal would obey them. */
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of a procedure, a model, a person or a server, so that a terminal only shows it. What a command says passes it
 * in `Screen`; prompts, which move the cursor, get their texts through it one by one.
 */
export function plainText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(controls, '\ufffd');
}

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

/** Cuts a message that the server would refuse, between two characters. */
export function cutMessage(message: string, maxBytes: number): string {
  if (utf8Length(message) <= maxBytes) return message;
  let end = Math.min(message.length, maxBytes);
  while (utf8Length(message.slice(0, end)) > maxBytes) end -= 16;
  return `${message.slice(0, end).replace(/[\ud800-\udbff]$/, '')}… (cut)`;
}
