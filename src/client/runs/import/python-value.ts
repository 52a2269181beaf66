import { setOwn, type JsonObject, type JsonValue } from '../../../contract/json/json.js';

/**
 * What Python's `repr` wrote, as JSON: numbers, texts, `True`, `None`, lists, tuples, dicts with texts as keys, and objects as
 * `Name(field=value)`, which become their fields.
 * @throws SyntaxError saying at which character it is anything else
 */
export function readPythonValue(text: string): JsonValue {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

const constants: Record<string, JsonValue> = { True: true, False: false, None: null };
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(): JsonValue {
    this.space();
    const next = this.text[this.at] ?? '';
    if (next === "'" || next === '"') return this.string(next);
    if (next === '[') return this.list(']');
    if (next === '(') return this.list(')');
    if (next === '{') return this.fields('}', ':', () => this.key());
    const number = this.take(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/y);
    if (number !== null) return this.number(number);
    const name = this.take(/[A-Za-z_][\w.]*/y);
    if (name === null) throw this.unexpected();
    if (Object.hasOwn(constants, name)) return constants[name] as JsonValue;
    if (this.text[this.at] !== '(') throw this.unexpected();
    return this.fields(')', '=', () => this.take(/[A-Za-z_]\w*/y));
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) throw this.unexpected();
  }

  private number(digits: string): number {
    const value = Number(digits);
    if (Number.isFinite(value) && (!/^-?\d+$/.test(digits) || Number.isSafeInteger(value))) return value;
    throw new SyntaxError(`${digits} is a number that would lose digits`);
  }

  private key(): string | null {
    const quote = this.text[this.at];
    return quote === "'" || quote === '"' ? this.string(quote) : null;
  }

  private string(quote: string): string {
    let read = '';
    for (this.at++; ;) {
      const plain = this.take(quote === "'" ? /[^'\\]+/y : /[^"\\]+/y);
      read += plain ?? '';
      const next = this.text[this.at++];
      if (next === quote) return read;
      if (next !== '\\') throw this.unexpected();
      read += this.escape();
    }
  }

  private escape(): string {
    const hex = this.take(/x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y);
    if (hex !== null) return String.fromCodePoint(Number.parseInt(hex.slice(1), 16));
    const plain = escapes[this.text[this.at++] ?? ''];
    if (plain === undefined) throw this.unexpected();
    return plain;
  }

  private list(close: string): JsonValue[] {
    const items: JsonValue[] = [];
    this.at++;
    while (!this.closes(close, items.length === 0)) items.push(this.value());
    return items;
  }

  private fields(close: string, between: string, readKey: () => string | null): JsonObject {
    const fields: JsonObject = {};
    let isFirst = true;
    this.at++;
    for (; !this.closes(close, isFirst); isFirst = false) {
      const key = readKey();
      this.space();
      if (key === null || this.text[this.at] !== between) throw this.unexpected();
      this.at++;
      setOwn(fields, key, this.value());
    }
    return fields;
  }

  /** Past the comma between two items, or past the end of them. A tuple of one has a comma before its end. */
  private closes(close: string, isFirst: boolean): boolean {
    this.space();
    if (!isFirst && this.text[this.at] === ',') this.at++;
    else if (!isFirst && this.text[this.at] !== close) throw this.unexpected();
    this.space();
    if (this.text[this.at] !== close) return false;
    this.at++;
    return true;
  }

  private space(): void {
    this.take(/\s+/y);
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  private unexpected(): SyntaxError {
    return new SyntaxError(`unexpected at character ${this.at}: ${this.text.slice(this.at, this.at + 20)}`);
  }
}
