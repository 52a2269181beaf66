import { getOwn, isObject, type JsonValue } from '../../../contract/json/json.js';

/** Whether a text is a pointer as RFC 6901 has it: empty, or `/` and names. */
export function isPointer(text: string): boolean {
  return text === '' || /^(\/([^~/]|~[01])*)+$/.test(text);
}

/** What a pointer leads to; undefined where there is nothing. */
export function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  const names = pointer.split('/').slice(1);
  let found: JsonValue | undefined = value;
  for (const name of names) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(key) ? found[Number(key)] : undefined;
    else found = isObject(found) ? getOwn(found, key) : undefined;
  }
  return found;
}

const place = /\{(\/[^{}]*)\}/g;

/** Pointers in a text such as `order-{/data/id}`. */
export function pointersIn(template: string): string[] {
  return Array.from(template.matchAll(place), ([, pointer = '']) => pointer);
}

/** The text with what its pointers lead to; null where one of them leads to nothing that could stand there. */
export function filled(template: string, value: JsonValue): string | null {
  let isWhole = true;
  const text = template.replace(place, (_, pointer: string) => {
    const found = valueAt(value, pointer);
    if (typeof found === 'string' || typeof found === 'number') return String(found);
    isWhole = false;
    return '';
  });
  return isWhole ? text : null;
}
