import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

const words: Record<string, JsonValue> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};

/**
 * Reads a literal as steps have them: JSON, or as Python writes it (`{'reason': "it's done"}`, `True`, `None`).
 * @returns undefined where the text is none
 */
export function readLiteral(text: string): JsonValue | undefined {
  const reader = new LiteralReader(text);
  try {
    return reader.whole();
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

/** The text inside of quotes, with its escapes read; null where the whole is not one quoted text. */
export function readQuoted(text: string): string | null {
  const trimmed = text.trim();
  const isQuoted = /^(["'])[\s\S]*\1$/.test(trimmed) && trimmed.length >= 2;
  if (!isQuoted) return null;
  const read = readLiteral(trimmed);
  // Quotes that were not escaped inside: what stands between the outer ones is meant.
  return typeof read === 'string' ? read : trimmed.slice(1, -1);
}

class NoLiteral extends Error {}

class LiteralReader {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): JsonValue {
    const value = this.value();
    this.skipBlanks();
    if (this.at !== this.text.length) throw new NoLiteral();
    return value;
  }

  private value(): JsonValue {
    this.skipBlanks();
    const first = this.text[this.at] ?? '';
    if (first === '"' || first === "'") return this.quoted(first);
    if (first === '[') return this.list(']');
    if (first === '(') return this.list(')');
    if (first === '{') return this.object();
    const word = this.match(/[A-Za-z]+/y);
    if (word !== null) {
      if (!Object.hasOwn(words, word)) throw new NoLiteral();
      return words[word] as JsonValue;
    }
    const number = this.match(/[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/y);
    if (number === null) throw new NoLiteral();
    return Number(number);
  }

  private list(end: string): JsonValue[] {
    const items: JsonValue[] = [];
    this.at++;
    while (!this.take(end)) {
      items.push(this.value());
      if (!this.take(',') && !this.isBefore(end)) throw new NoLiteral();
    }
    return items;
  }

  private object(): JsonObject {
    const entries: [string, JsonValue][] = [];
    this.at++;
    while (!this.take('}')) {
      const key = this.value();
      if ((typeof key !== 'string' && typeof key !== 'number') || !this.take(':')) throw new NoLiteral();
      entries.push([String(key), this.value()]);
      if (!this.take(',') && !this.isBefore('}')) throw new NoLiteral();
    }
    return Object.fromEntries(entries);
  }

  private quoted(quote: string): string {
    let text = '';
    for (this.at++; this.at < this.text.length; this.at++) {
      const next = this.text[this.at] as string;
      if (next === quote) {
        this.at++;
        return text;
      }
      text += next === '\\' ? this.escaped() : next;
    }
    throw new NoLiteral();
  }

  private escaped(): string {
    const next = this.text[++this.at] ?? '';
    const code = this.hexDigits(next);
    if (code !== undefined) {
      this.at += code.length;
      return String.fromCodePoint(Number.parseInt(code, 16));
    }
    const plain: Record<string, string> = {
      n: '\n',
      t: '\t',
      r: '\r',
      '\\': '\\',
      '"': '"',
      "'": "'",
      '/': '/',
    };
    return Object.hasOwn(plain, next) ? (plain[next] as string) : `\\${next}`;
  }

  /** What follows `\x`, `\u` or `\U`; undefined where it is no character. */
  private hexDigits(kind: string): string | undefined {
    const count = ({ x: 2, u: 4, U: 8 } as Record<string, number>)[kind];
    if (count === undefined) return undefined;
    const digits = this.text.slice(this.at + 1, this.at + 1 + count);
    return /^[0-9a-fA-F]+$/.test(digits) && digits.length === count && Number.parseInt(digits, 16) <= 0x10ffff
      ? digits
      : undefined;
  }

  private take(sign: string): boolean {
    if (!this.isBefore(sign)) return false;
    this.at++;
    return true;
  }

  private isBefore(sign: string): boolean {
    this.skipBlanks();
    return this.text[this.at] === sign;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  private skipBlanks(): void {
    this.match(/\s+/y);
  }
}

/** A value as Python's `str` writes it, which authors of the reference compare with: `True`, `None`, `[1, 'a']`. */
export function pythonText(value: JsonValue): string {
  return typeof value === 'string' ? value : represented(value);
}

/** A value as it stands in a list, with quotes around texts. */
function represented(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(represented).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).map(([key, each]) => `${quoted(key)}: ${represented(each)}`);
  return `{${entries.join(', ')}}`;
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `${quote}${escaped}${quote}`;
}
