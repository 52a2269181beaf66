const simple: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v', '\n': '\n' },
};

const escape = /\\(z\s*|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|\d{1,3}|\r?\n|.)/gs;

/** What a Lua string literal stands for. Bytes above 127 that are escaped count as characters: no rule needs them. */
export function stringValue(raw: string): string {
  const long = /^\[(=*)\[\r?\n?([^]*)\]\1\]$/.exec(raw);
  if (long !== null) return long[2] ?? '';
  return raw.slice(1, -1).replace(escape, (_whole, code: string) => {
    if (code.startsWith('z')) return '';
    if (/^x[0-9a-fA-F]/.test(code)) return String.fromCharCode(parseInt(code.slice(1), 16));
    if (code.startsWith('u{'))
      return String.fromCodePoint(Math.min(parseInt(code.slice(2, -1), 16), 0x10ffff));
    if (/^\d/.test(code)) return String.fromCharCode(Number(code) & 0xff);
    return Object.hasOwn(simple, code) ? (simple[code] ?? code) : code;
  });
}
