/** A value that JSON can hold. Everything that crosses a boundary is one. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** `T`, if JSON can hold it as it is. Keys whose value would be `undefined` must be left out, and there are no functions, dates or maps. */
type FitsJson<T> = T extends JsonValue
  ? T
  : T extends
        undefined | bigint | symbol | Date | ReadonlyMap<unknown, unknown> | ((...args: never[]) => unknown)
    ? never
    : { [K in keyof T]: FitsJson<T[K]> };

/** A value of an interface as the JSON that it is: interfaces have no index signature, so the compiler refuses them where JSON is expected. */
export function asJson<T extends readonly unknown[]>(value: T & FitsJson<T>): JsonValue[];
export function asJson<T extends object>(value: T & FitsJson<T>): JsonObject;
export function asJson<T>(value: T & FitsJson<T>): JsonValue;
export function asJson(value: unknown): JsonValue {
  // The overloads take nothing else.
  return value as JsonValue;
}

/** JSON as the type that it is known to have, because our own code recorded or sent it, or because it was checked before. Nothing is checked here. */
export function jsonAs<T>(value: JsonValue | undefined): T {
  return value as T;
}

/** How many levels of tables cross a boundary where no limit of the run says otherwise. */
export const usualJsonDepth = 100;

/** The own property `key`, or undefined: a name from Lua, a model or a person never reaches a prototype. */
export function getOwn<T>(object: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property, whatever the key is called (`__proto__` too). */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

/** What may be undefined in `T` may be left out here, and is never undefined. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that have a value: for a spread into an object whose other fields are left out rather than undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // `fromEntries` knows no keys: those that are left are keys of T, with their values.
  return Object.fromEntries(entries) as Defined<T>;
}

export function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether it holds more levels of tables than that. No value is too deep to be asked about. */
export function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** JSON with sorted keys and no white space: equal values have equal texts. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

/** Length of the text's UTF-8 form, in bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Size of the value's JSON text, in bytes. It takes what is sent as JSON, whatever its type says of it. */
export function jsonSize(value: JsonValue | object): number {
  return utf8Length(JSON.stringify(value));
}

type Reviver = (key: string, value: unknown) => unknown;

type OfNumber = (value: number, source: string) => number | string;

/** Sixteen digits in a row, or an exponent of three: what has neither is held as it is written. More may match, in texts for instance. */
const mayBeInexact = /\d{16}|e\+?\d{3}/i;

const byteOrderMark = /^\uFEFF/;

/**
 * The value that a JSON text from outside stands for. JavaScript rounds integers past 2^53: they
 * become the text of their digits, so that two orders never become one. A byte order mark, which some editors write, is no
 * part of the text.
 * @throws SyntaxError where it is no JSON; RangeError where a number is larger than any, or it is nested too deep
 */
export function readJson(text: string): JsonValue {
  const bare = text.replace(byteOrderMark, '');
  if (!mayBeInexact.test(bare)) return JSON.parse(bare) as JsonValue;
  return withNumbers(bare, (value, source) => (isExact(value, source) ? finite(value, source) : source));
}

/**
 * The same for texts that identify something: a number that isn't an integer is the text that was written, too. `1.10`
 * and `1.1` are two ids.
 */
export function readIdentities(text: string): JsonValue {
  return withNumbers(text.replace(byteOrderMark, ''), (value, source) =>
    Number.isSafeInteger(value) && /^-?\d+(\.0+)?$/.test(source) ? value + 0 : source,
  );
}

/** JSON whose numbers any reader holds exactly: the same text, unless `readJson` finds other numbers in it than `JSON.parse`. */
export function exactText(text: string): string {
  if (!mayBeInexact.test(text)) return text;
  let isSame = true;
  const read = withNumbers(text.replace(byteOrderMark, ''), (value, source) => {
    if (isExact(value, source)) return finite(value, source);
    isSame = false;
    return source;
  });
  return isSame ? text : JSON.stringify(read);
}

/** Whether a number is what was written; a fraction is rounded as everywhere. */
export function isExact(value: number, source: string): boolean {
  return Number.isSafeInteger(value) || /[.e]/i.test(source);
}

/** `1e400` is no number that JSON could be written with again. */
function finite(value: number, source: string): number {
  if (Number.isFinite(value)) return value;
  throw new RangeError(`the number ${source} is too large`);
}

function withNumbers(text: string, ofNumber: OfNumber): JsonValue {
  const revive = (_: string, value: unknown, { source = '' }: { source?: string }): unknown =>
    typeof value === 'number' ? ofNumber(value, source) : value;
  // The third argument is of ES2025, which the types don't know yet.
  return JSON.parse(text, revive as Reviver) as JsonValue;
}

/** Whether a value from outside is JSON of plain objects, no deeper than what crosses into Lua. */
export function isJson(value: unknown, depth = usualJsonDepth): value is JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  // `Array.from` shows the holes of an array, which are not JSON either.
  if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, depth - 1));
  return isPlain(value) && Object.values(value).every((member) => isJson(member, depth - 1));
}

/** Objects of another realm are plain too: compares no prototype by identity. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
