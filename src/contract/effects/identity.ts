import type { Change } from '../engine.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';

/** A value is part of the identity from this version on, as it stands; where it was dropped, up to the version before. */
interface Since {
  since: number;
  until?: number;
}

type KeyOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** Says of a value which part of it is identity: as it stands, field by field, or field by field of each item. */
type Part<T> =
  | Since
  | { fields: Fields<Exclude<T, null | undefined>> }
  | (NonNullable<T> extends readonly (infer Item)[] ? { each: Fields<Item> } : never);

/** Every field must be spoken of: one that is added doesn't become part of the identity unseen. */
export type Fields<T> = { readonly [K in KeyOf<T>]-?: Part<ValueOf<T, K>> };

type AnyPart = Since | { fields: AnyFields } | { each: AnyFields };
type AnyFields = Readonly<Record<string, AnyPart>>;

/** What makes two things of a kind the same question. */
export interface Identity<T> {
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
