import type { CarriedAnswer } from '../runs/carried-answers.js';
import type { ErrorCode } from '../errors.js';
import type { Change } from '../engine.js';
import type { EffectClass } from '../tools/outside-tool.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';
import { digestOf } from './digest.js';

/**
 * All that can be said of a kind of effect without performing it. How Lua asks for it stands in `types/` (`---@effect`)
 * and `lua-bridge/primitives/`, how Temporal performs it in `workflows/effects/`.
 */
export interface EffectDefinition<E extends { kind: string }> {
  readonly kind: E['kind'];
  /** Version of this package that it came with: runs of older ones have none. Left out: 0.1.0. */
  readonly since?: string;
  /** What its checkpoints are called: the `type` of `log --json`. */
  readonly types: readonly string[];
  /** What makes it the same question on replay. */
  readonly identity: Identity<E>;
  /** As it is compared where another version of the source asks for it. Left out: as it stands. */
  readonly comparedAs?: (effect: E) => E;
  /** What a second one does, where a run is made to go another way. */
  readonly effectClass: (effect: E) => AskedClass;
  /** What was asked, as the log shows it to people. */
  readonly shown: (effect: E) => JsonValue;
  /**
   * Its answer, made of what somebody else recorded that a procedure got; or why that is none. Left out: what the procedure got
   * is the answer.
   */
  readonly told?: (effect: E, recorded: CarriedAnswer) => { value: JsonValue } | { wrong: string };
  /** The kind of the wait in the status: `waits` of `status --json`. */
  readonly wait: string;
  /** The code that its failure has when it brings none of ours. */
  readonly failure: ErrorCode;
  /** A worker is at it until it has ended: another execution can't take over meanwhile. */
  readonly isRemote: boolean;
  /** Events that one adds to Temporal's history, with the workflow task that its end brings: at most, and undisturbed. */
  readonly historyEvents: number;
  /** How it is drawn in a procedure's graph. */
  readonly drawn: 'agent' | 'tool' | 'model' | 'human' | 'sleep' | 'file' | 'http' | 'procedure' | 'wait';
  /** What a host in memory answers, where a test says nothing else. */
  readonly example: (effect: E, position: string) => JsonValue;
}

/** Models cost money, and people time: whoever asks them again wants to know. */
export type AskedClass = EffectClass | 'model' | 'human';

/** Keeps what the definition says literally, so that lists of kinds, types and waits derive from it. */
export function defineEffect<E extends { kind: string }>(): <const D extends EffectDefinition<E>>(
  definition: D,
) => D & EffectDefinition<E> {
  return (definition) => definition;
}

/** It is part of the identity, as it stands. */
export const always = { since: 1 } as const;
/** How it is asked, and no part of what is asked. */
export const never = { since: Infinity } as const;
/** It is part of the identity, and says how it is asked: where another source changes it, that is listed, and it fits. */
export const setting = { since: 1, isSetting: true } as const;
/** It is part of the identity, and follows from what the frame around it compares: two versions of a source needn't agree on it. */
export const derived = { since: 1, isDerived: true } as const;
/** It is no part of the identity. Where another source changes it, that is listed. */
export const listed = { since: Infinity, isSetting: true } as const;
/** How long an answer may take: version 1 compared it too. */
export const untilSecond = { since: 1, until: 2, isSetting: true } as const;

/** A value is part of the identity from this version on, as it stands; where it was dropped, up to the version before. */
interface Since {
  since: number;
  until?: number;
  /** It configures how something is asked, and is nothing that the procedure computes with. */
  isSetting?: true;
  isDerived?: true;
}

type KeyOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** Says of a value which part of it is identity: as it stands, field by field, or field by field of each item. */
type Part<T> =
  | Since
  | { fields: Fields<Exclude<T, null | undefined>> }
  | (NonNullable<T> extends readonly (infer Item)[] ? { each: Fields<Item> } : never);

/** Every field must be spoken of: one that is added doesn't become part of the identity unseen. */
type Fields<T> = { readonly [K in KeyOf<T>]-?: Part<ValueOf<T, K>> };

type AnyPart = Since | { fields: AnyFields } | { each: AnyFields };
type AnyFields = Readonly<Record<string, AnyPart>>;

/** What makes two things of a kind the same question. */
interface Identity<T> {
  /** What each version after the first came with: a run that it doesn't hold for goes on with the version before. */
  readonly changedWith: readonly Change[];
  readonly fields: Fields<T>;
}

/** What was part of the identity in a version. */
export function identityOf<T>(value: T, { fields }: Identity<T>, version: number): JsonObject {
  return pick(value as JsonObject, fields, version);
}

function pick(value: JsonObject, fields: AnyFields, version: number): JsonObject {
  const picked: JsonObject = {};
  for (const [name, part] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name)) continue;
    const held = value[name] as JsonValue;
    if (!('since' in part)) picked[name] = inner(held, part, version);
    else if (version >= part.since && version < (part.until ?? Infinity)) picked[name] = held;
  }
  return picked;
}

function inner(
  held: JsonValue,
  part: { fields: AnyFields } | { each: AnyFields },
  version: number,
): JsonValue {
  if ('fields' in part) return isObject(held) ? pick(held, part.fields, version) : held;
  if (!Array.isArray(held)) return held;
  return held.map((item) => (isObject(item) ? pick(item, part.each, version) : item));
}

/** What two things of a kind have in common that come from two versions of a source. */
export interface Compared {
  /** Digest of what flows into it: messages, arguments, paths, contents. Where it differs, it is another question. */
  data: string;
  /** Digest of each setting of it, by the name that authors know. */
  settings: Record<string, string>;
}

/** What is compared of two versions of a source, as `setting`, `listed` and `always` say. */
export function comparedOf<T>(value: T, { fields }: Identity<T>): Compared {
  const settings: Record<string, string> = {};
  const data = split(value as JsonObject, fields, (name, held) => (settings[name] = digestOf(held)));
  return { data: digestOf(data), settings };
}

/** What is compared of a kind, and what is listed, for people: fields of the innermost tables, by the names that authors know. */
export function fieldsOf(identity: { readonly fields: object }): { data: string[]; settings: string[] } {
  const found = { data: new Set<string>(), settings: new Set<string>() };
  collectFields(identity.fields as AnyFields, found);
  return { data: [...found.data], settings: [...found.settings] };
}

function collectFields(fields: AnyFields, found: { data: Set<string>; settings: Set<string> }): void {
  for (const [name, part] of Object.entries(fields)) {
    if ('fields' in part) collectFields(part.fields, found);
    else if ('each' in part) {
      const isData = Object.values(part.each).some((each) => !isSettingAlone({ each }));
      const isListed = Object.values(part.each).some((each) => 'since' in each && each.isSetting === true);
      if (isData) found.data.add(authorsName(name, false));
      if (isListed) found.settings.add(authorsName(name));
    } else if (part.isSetting === true) found.settings.add(authorsName(name));
    else if (part.since !== Infinity && part.isDerived !== true && name !== 'kind')
      found.data.add(authorsName(name));
  }
}

type OnSetting = (name: string, held: JsonValue) => void;

function split(value: JsonObject, fields: AnyFields, onSetting: OnSetting): JsonObject {
  const data: JsonObject = {};
  for (const [name, part] of Object.entries(fields)) {
    const held = value[name];
    if (held === undefined) continue;
    if ('fields' in part) data[name] = isObject(held) ? split(held, part.fields, onSetting) : held;
    else if ('each' in part)
      data[name] = Array.isArray(held) ? splitEach(name, held, part.each, onSetting) : held;
    else if (part.isSetting === true) onSetting(authorsName(name), held);
    else if (part.since !== Infinity && part.isDerived !== true) data[name] = held;
  }
  return data;
}

/** A list whose items are settings through and through is one setting: one more of them changes nothing that flows. */
function splitEach(name: string, held: JsonValue[], each: AnyFields, onSetting: OnSetting): JsonValue {
  const settings: JsonObject[] = [];
  const data = held.map((item) => {
    if (!isObject(item)) return item;
    const own: JsonObject = {};
    const rest = split(item, each, (key, value) => (own[key] = value));
    settings.push(own);
    return rest;
  });
  if (settings.some((own) => Object.keys(own).length > 0)) onSetting(authorsName(name), settings);
  return isSettingAlone(each) ? [] : data;
}

function isSettingAlone(fields: AnyFields): boolean {
  return Object.values(fields).every(
    (part) => 'since' in part && (part.isSetting ?? part.since === Infinity),
  );
}

const authorsNames: Record<string, string> = {
  system: 'system_prompt',
  outputSchema: 'output',
  timeoutMs: 'timeout',
  idleTimeoutMs: 'idle_timeout',
  tell: 'channels',
  choices: 'labels',
  items: 'labels',
};

/** `maxTokens` is `max_tokens` in a procedure. */
function authorsName(name: string, isSetting = true): string {
  return (
    (isSetting ? authorsNames[name] : undefined) ??
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  );
}
