import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

interface Entry {
  message: JsonObject;
  tokens: number;
}

const roles = ['system', 'user', 'assistant', 'tool'];

/** What a token of English text is worth, and each message beside its text, as the reference has it. */
const charactersPerToken = 4;
const tokensOfMessage = 4;

/**
 * What was said before, for a module: messages `{role, content}`, or the fields of an earlier prediction, as
 * `{question = "…", answer = "…"}`.
 */
export class History {
  private entries: Entry[] = [];

  get messages(): JsonObject[] {
    return this.entries.map(({ message }) => message);
  }

  get length(): number {
    return this.entries.length;
  }

  /** @throws TactusError lua_error where it is no message */
  add(message: JsonValue): void {
    const problem = problemOf(message);
    if (problem !== null) throw new TactusError('lua_error', `History: ${problem}`);
    const checked = message as JsonObject;
    this.entries.push({ message: checked, tokens: tokensOf(checked) });
  }

  clear(): void {
    this.entries = [];
  }

  /** Keeps the first messages alone. */
  truncate(length: number): void {
    this.entries = this.entries.slice(0, Math.max(0, length));
  }

  /** The last messages: so many, where a number is asked for, and within so many tokens. */
  last(count: number | null, tokens: number | null): JsonObject[] {
    const first = count === null ? 0 : Math.max(0, this.entries.length - Math.max(0, count));
    const wanted = this.entries.slice(first);
    let left = tokens ?? Infinity;
    const before = wanted.findLastIndex((entry) => (left -= entry.tokens) < 0);
    return wanted.slice(before + 1).map(({ message }) => message);
  }

  countTokens(): number {
    return this.entries.reduce((sum, { tokens }) => sum + tokens, 0);
  }
}

/** A message, and not the fields of a prediction. */
export function isSaid(message: JsonObject): boolean {
  return Object.hasOwn(message, 'role') || Object.hasOwn(message, 'content');
}

function tokensOf(message: JsonObject): number {
  const { role = '', content = '' } = message;
  const texts = isSaid(message) ? [content, role] : [message];
  const tokens = texts.map((text) => {
    const { length } = typeof text === 'string' ? text : JSON.stringify(text);
    return Math.trunc(length / charactersPerToken);
  });
  return tokens.reduce((sum, each) => sum + each, tokensOfMessage);
}

function problemOf(message: JsonValue): string | null {
  if (!isObject(message)) return 'a message must be a table with role and content';
  if (!isSaid(message)) return null;
  const { role, content } = message;
  if (role === undefined) return 'role is required';
  if (content === undefined) return "Message must include 'content' key";
  if (typeof role !== 'string' || !roles.includes(role))
    return `Invalid role. Must be one of ${roles.join(', ')}`;
  return null;
}
