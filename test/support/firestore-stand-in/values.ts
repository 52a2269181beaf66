/** A value of Firestore's, as its protocol has it: of what storages keep, and no more. */
export type Value =
  { stringValue: string } | { bytesValue: Buffer } | { nullValue: unknown } | { referenceValue: string };

export type Fields = Record<string, Value>;

/** What an index has of a value at most; behind that it doesn't tell values apart. */
const longestIndexed = 1_500;

/** The bytes by which a value is in order among those of its type. */
export function bytesOf(value: Value): Buffer {
  if ('stringValue' in value) return Buffer.from(value.stringValue);
  if ('bytesValue' in value) return Buffer.from(value.bytesValue);
  if ('referenceValue' in value) return Buffer.from(value.referenceValue);
  return Buffer.alloc(0);
}

export function typeOf(value: Value): string {
  return Object.keys(value).find((key) => key.endsWith('Value')) ?? '';
}

export function fitsIndex(value: Value): boolean {
  return bytesOf(value).length <= longestIndexed;
}

/** What a document takes of its 1 MiB, as Google counts it: its name, and each field with its name. */
export function sizeOf(name: string, fields: Fields): number {
  const path = name.slice(name.indexOf('/documents/') + '/documents/'.length).split('/');
  const named = path.reduce((sum, part) => sum + Buffer.byteLength(part) + 1, 16);
  return Object.entries(fields).reduce(
    (sum, [key, value]) =>
      sum +
      Buffer.byteLength(key) +
      1 +
      ('nullValue' in value ? 1 : bytesOf(value).length + ('bytesValue' in value ? 0 : 1)),
    named + 32,
  );
}
