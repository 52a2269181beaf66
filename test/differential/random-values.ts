import type { SeededRandom } from '../fuzz/seeded-random.js';

const integers = [
  '0', '1', '-1', '2', '3', '-3', '7', '10', '-10', '64', '100', '127', '128', '255', '256', '-128', '65535', '999999',
  '2147483647', '2147483648', '-2147483648', '-2147483649', '4294967295', '4294967296', '3000000000', '0x7fffffff',
  '0xFFFFFFFF', '1000000000000', '9007199254740991', '-9007199254740991', '9007199254740990', '0xff',
]; // prettier-ignore
const floats = [
  '0.0', '-0.0', '0.5', '-0.5', '1.0', '-1.0', '2.0', '1.5', '2.5', '-2.5', '0.1', '1e15', '1e16', '1e14', '123456.789',
  '1e100', '-1e100', '1e-5', '1e-4', '1e308', '5e-324', '2^31', '2^32', '2^53', '-2^53', '2^63', '(1/0)', '(-1/0)',
  '(0/0)', '3.14159', '99999999999999.0', '0x1p4', '0x.8', '1e0', '.5', '3.', '1e+2', '0.1 + 0.2', '100.0', '1/3',
]; // prettier-ignore
const numerals = [
  '"10"', '"-3"', '"0x10"', '"1e2"', '" 5 "', '"3.0"', '"0x1p4"', '"1e"', '"0x"', '"10 20"', '"inf"', '"nan"', '"1_0"',
  '"\\t7\\n"', '"-0"', '"-0.0"', '".5"', '"5."', '"."', '"- 1"', '"+1"', '"1e+5"', '"0b1"', '"\\0001"', '"1\\0"',
  '"9007199254740991"', '"2147483648"', '"-"', '"0x.1"', '"1e400"', '"--1"',
]; // prettier-ignore
const strings = [
  '""', '"a"', '"abc"', '"hello world"', '"aaa"', '"AbC"', '"a,b,,c"', '"a\\0b"', '"\\0"', '"k=v; x=y"', '"%d"', '"%"',
  '"(a(b)c)"', '"line1\\nline2"', '"\\r\\n"', '"\\t"', '"THE (quick) fox"', '"2024-01-15"', '"foo.bar.baz"', '"  trim  "',
  '"[x]"', '"x^2"', '"a-b"', '"\\"quoted\\""', '"back\\\\slash"', '"zebra"', '"Zebra"', '"10"', '"abcabcabc"', '"\\x7f"',
]; // prettier-ignore
const wide = [
  '"é"',
  '"日本語"',
  '"😀 x"',
  '"naïve café"',
  '"a\\u{301}"',
  '"\\u{10FFFF}"',
  '"ß"',
  '"Ünï"',
  '"—"',
];
const broken = ['"\\xff"', '"\\xe2\\x82"', '"a\\xc3"', '"\\x80abc"', '"\\xed\\xa0\\x80"'];
const tables = [
  '{}', '{1, 2, 3}', '{"a", "b"}', '{n = 1}', '{x = {y = {z = 1}}}', '{10, 20, 30, x = 1}', '{[1.0] = "f", [2] = "i"}',
  '{{1, 2}, {3, {4}}}', '{true, false}', '{3, 1, 2}', '{"b", "a", "C"}', '{[2^53] = "big"}', '{[-1] = "m", [0] = "z"}',
  '{"x", 1, 2.5}', '{[0.5] = "h"}', '{a = "1", b = "2"}', '{1.5, 2, -0.0}', '{[""] = "empty"}', '{2147483647, 2147483648}',
]; // prettier-ignore
const others = ['nil', 'true', 'false', 'print', 'function() end', 'coroutine.create(print)', 'missing'];

/** The largest integer that is exact on both sides. */
const exact = 2 ** 53 - 1;

/** An expression, and how large its value is at most where it may be an integer. */
interface Bounded {
  code: string;
  integer: number | null;
}

/** Lua expressions of a wanted kind, and sometimes of another. */
export class RandomValues {
  constructor(readonly random: SeededRandom) {}

  integer(): string {
    return this.random.chance(0.5) ? this.random.pick(integers) : String(this.random.below(40) - 12);
  }

  /** An integer that is fit for an index or a count. */
  small(): string {
    return String(this.random.below(12) - 3);
  }

  /** Mostly an integer, and nothing that would be a count of years. */
  index(): string {
    return this.random.chance(0.9)
      ? this.small()
      : this.random.pick(['"3"', '2.0', '1.5', 'nil', '{}', '"x"']);
  }

  count(end: number): string {
    return String(this.random.below(end));
  }

  float(): string {
    return this.random.pick(floats);
  }

  numeral(): string {
    return this.random.pick(numerals);
  }

  number(): string {
    return this.random.chance(0.6) ? this.integer() : this.float();
  }

  /** A string of valid UTF-8. */
  text(): string {
    const roll = this.random.next();
    if (roll < 0.7) return this.random.pick(strings);
    if (roll < 0.9) return this.random.pick(wide);
    if (roll < 0.97) return this.random.pick(['s1', 's2']);
    return `("${this.random.pick(['ab', 'x', 'é', '1'])}"):rep(${20 + this.random.below(60)})`;
  }

  bytes(): string {
    return this.random.chance(0.1) ? this.random.pick(broken) : this.text();
  }

  table(): string {
    return this.random.chance(0.15) ? this.random.pick(['t1', 't2']) : this.random.pick(tables);
  }

  /** A literal table whose elements are all of one kind. */
  list(element: () => string): string {
    return `{${Array.from({ length: this.random.below(8) }, element).join(', ')}}`;
  }

  any(): string {
    const kinds = [
      () => this.number(),
      () => this.bytes(),
      () => this.numeral(),
      () => this.table(),
      () => this.random.pick(others),
    ];
    return this.random.pick(kinds)();
  }

  /** Anything but nil: in lists with holes, `#` may be any border. */
  some(): string {
    const code = this.any();
    return code === 'nil' || code === 'missing' ? '"some"' : code;
  }

  /** Mostly what is wanted, now and then anything. */
  mostly(wanted: () => string, probability = 0.94): string {
    return this.random.chance(probability) ? wanted() : this.any();
  }

  /** Arithmetic whose integers stay exact on both sides. */
  arithmetic(depth: number): string {
    return this.bounded(depth).code;
  }

  private bounded(depth: number): Bounded {
    const { random } = this;
    if (depth === 0 || random.chance(0.15)) return this.operand();
    const a = this.bounded(depth - 1);
    if (random.chance(0.12)) return { code: `-(${a.code})`, integer: a.integer };
    const b = this.bounded(depth - 1);
    const both = a.integer !== null && b.integer !== null ? ([a.integer, b.integer] as const) : null;
    const operator = random.pick([
      '+',
      '-',
      '*',
      '/',
      '//',
      '%',
      '^',
      '+',
      '-',
      '//',
      '%',
      '&',
      '|',
      '~',
      '<<',
    ]);
    const code = `(${a.code} ${operator} ${b.code})`;
    if (operator === '/' || operator === '^') return { code, integer: null };
    if (operator === '<<') return { code: `((${a.code}) << ${random.below(8)})`, integer: shifted(a) };
    if (both === null && !'&|~'.includes(operator)) return { code, integer: null };
    const [x, y] = both ?? [exact, exact];
    const integer =
      operator === '*'
        ? x * y
        : operator === '+' || operator === '-'
          ? x + y
          : operator === '//'
            ? x
            : Math.max(x, y);
    if (integer <= exact) return { code, integer };
    return { code: `(${a.code} * 1.0 ${operator === '*' ? '*' : '+'} ${b.code})`, integer: null };
  }

  private operand(): Bounded {
    const { random } = this;
    const roll = random.next();
    if (roll < 0.55) {
      const code = this.integer();
      return { code, integer: Math.abs(Number(code)) };
    }
    if (roll < 0.85) return { code: this.float(), integer: null };
    if (roll < 0.9) return { code: `#${this.random.pick(['"abc"', 's1', '{1, 2}', '"é"'])}`, integer: 100 };
    if (roll < 0.94) return { code: random.pick(['i1', 'i2']), integer: 2_147_483_648 };
    if (roll < 0.98) return { code: this.numeral(), integer: exact };
    return {
      code: random.pick(['nil', '{}', 'true', '"abc"', 't1', 'missing', 't1.x', 't1.x.y']),
      integer: null,
    };
  }
}

function shifted({ integer }: Bounded): number | null {
  return integer === null ? exact : integer * 128;
}
