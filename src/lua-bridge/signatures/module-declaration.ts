import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import { DeclaredList, type Bridge, type Fields } from '../kernel/index.js';
import {
  languageModel,
  predictionSettings,
  readModelChoice,
  readSettings,
  type ModelChoice,
} from '../models/model-choice.js';
import { readSignature, type Signature } from './signature.js';

const strategies = ['predict', 'chain_of_thought', 'raw'] as const;

/**
 * How a module asks: for the outputs alone, for the model's reasoning before them, or with the words that it is given
 * and nothing else.
 */
type Strategy = (typeof strategies)[number];

export interface ModuleDeclaration {
  name: string | null;
  signature: Signature;
  strategy: Strategy;
  choice: ModelChoice;
  settings: ModelCall['settings'];
}

export const declaredModules = new DeclaredList<ModuleDeclaration>();

/** Keys of its table that are plain values. */
export function moduleKeys(bridge: Bridge): string[] {
  return [
    ...['name', 'signature', 'strategy', 'provider', 'model', 'model_settings'],
    ...predictionSettings(bridge),
  ];
}

/**
 * @param signature what `Signature` gave; null: `fields` say it
 * @throws TactusError source_invalid naming the field
 */
export function readModule(
  bridge: Bridge,
  given: string | null,
  fields: JsonObject,
  signature: Signature | null,
): ModuleDeclaration {
  const { name: own = null, strategy = null, provider, model = null } = fields;
  const name = given ?? (typeof own === 'string' ? own : null);
  const what = `Module${name === null ? '' : ` "${name}"`}`;
  const declared = fields['signature'] ?? null;
  if (signature === null && declared === null)
    throw new TactusError(
      'source_invalid',
      `${what} requires a 'signature'. Example: signature = "question -> answer"`,
    );
  const providerName = typeof provider === 'string' ? provider : null;
  const module = {
    name,
    signature: signature ?? readSignature(declared, name),
    strategy: readStrategy(strategy ?? 'predict', what),
    choice: readModelChoice(bridge, model, providerName, what),
    settings: readSettings(bridge, settingsIn(bridge, fields), what),
  };
  if (module.strategy === 'raw' && !Object.hasOwn(module.signature.input, 'user_message'))
    throw new TactusError(
      'source_invalid',
      `${what}: the strategy "raw" asks with the inputs system_prompt, history and user_message`,
    );
  return module;
}

function settingsIn(bridge: Bridge, fields: JsonObject): JsonObject {
  const keys = [...predictionSettings(bridge), 'model', 'model_settings'];
  return Object.fromEntries(keys.map((key) => [key, fields[key] ?? null]));
}

function readStrategy(given: JsonValue, what: string): Strategy {
  const strategy = strategies.find((each) => each === given);
  if (strategy !== undefined) return strategy;
  const known = strategies.map((each) => JSON.stringify(each)).join(', ');
  throw new TactusError(
    'source_invalid',
    `${what}: the strategy ${JSON.stringify(given)} is not there; there are ${known}`,
  );
}

/** The fields that the model gives: with its reasoning, that comes first; without a form, it has but words. */
export function outputsOf({ signature: { output }, strategy }: ModuleDeclaration): Fields {
  if (strategy === 'predict') return output;
  if (strategy === 'raw') return { response: { type: 'string', required: true } };
  const { reasoning = thoughts, ...others } = output;
  return { reasoning, ...others };
}

const thoughts = { type: 'string', required: true, description: 'Your reasoning, step by step' } as const;

/** Its model and settings: its own, or those of `LM`. */
export function modelOfModule(
  bridge: Bridge,
  { choice, settings }: ModuleDeclaration,
): Pick<ModuleDeclaration, 'choice' | 'settings'> {
  const { current } = languageModel.of(bridge);
  if (current === null || choice.model !== null || choice.provider !== null) return { choice, settings };
  return { choice: { ...choice, model: current.model }, settings: { ...current.settings, ...settings } };
}

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
