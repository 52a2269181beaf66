const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const two = (value: number): string => String(value).padStart(2, '0');

function dayOfYear(when: Date): number {
  return (
    Math.floor(
      (Date.UTC(when.getUTCFullYear(), when.getUTCMonth(), when.getUTCDate()) -
        Date.UTC(when.getUTCFullYear(), 0, 1)) /
        86_400_000,
    ) + 1
  );
}

/** Weeks of the year, counted from its first `firstDay` (0: Sunday, 1: Monday). */
function week(when: Date, firstDay: number): number {
  return Math.floor((dayOfYear(when) + 6 - ((when.getUTCDay() - firstDay + 7) % 7)) / 7);
}

/** Year and week as ISO 8601 counts them: week 1 is that of the first Thursday. */
function isoWeek(when: Date): { year: number; week: number } {
  const thursday = new Date(when.getTime());
  thursday.setUTCDate(when.getUTCDate() + 4 - (when.getUTCDay() || 7));
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) };
}

const conversions: Record<string, (when: Date) => string> = {
  a: (when) => (days[when.getUTCDay()] ?? '').slice(0, 3),
  A: (when) => days[when.getUTCDay()] ?? '',
  b: (when) => (months[when.getUTCMonth()] ?? '').slice(0, 3),
  B: (when) => months[when.getUTCMonth()] ?? '',
  c: (when) => strftime('%a %b %e %H:%M:%S %Y', when) ?? '',
  C: (when) => two(Math.floor(when.getUTCFullYear() / 100)),
  d: (when) => two(when.getUTCDate()),
  D: (when) => strftime('%m/%d/%y', when) ?? '',
  e: (when) => String(when.getUTCDate()).padStart(2, ' '),
  F: (when) => strftime('%Y-%m-%d', when) ?? '',
  g: (when) => two(isoWeek(when).year % 100),
  G: (when) => String(isoWeek(when).year),
  h: (when) => (months[when.getUTCMonth()] ?? '').slice(0, 3),
  H: (when) => two(when.getUTCHours()),
  I: (when) => two(when.getUTCHours() % 12 || 12),
  j: (when) => String(dayOfYear(when)).padStart(3, '0'),
  m: (when) => two(when.getUTCMonth() + 1),
  M: (when) => two(when.getUTCMinutes()),
  n: () => '\n',
  p: (when) => (when.getUTCHours() < 12 ? 'AM' : 'PM'),
  r: (when) => strftime('%I:%M:%S %p', when) ?? '',
  R: (when) => strftime('%H:%M', when) ?? '',
  s: (when) => String(Math.floor(when.getTime() / 1000)),
  S: (when) => two(when.getUTCSeconds()),
  t: () => '\t',
  T: (when) => strftime('%H:%M:%S', when) ?? '',
  u: (when) => String(when.getUTCDay() || 7),
  U: (when) => two(week(when, 0)),
  V: (when) => two(isoWeek(when).week),
  w: (when) => String(when.getUTCDay()),
  W: (when) => two(week(when, 1)),
  x: (when) => strftime('%m/%d/%y', when) ?? '',
  X: (when) => strftime('%H:%M:%S', when) ?? '',
  y: (when) => two(when.getUTCFullYear() % 100),
  Y: (when) => String(when.getUTCFullYear()),
  z: () => '+0000',
  Z: () => 'UTC',
  '%': () => '%',
};

/**
 * The time in UTC as C's strftime writes it in the C locale; null where the pattern has an unknown conversion.
 * `onPiece` is told what each conversion gives.
 */
export function strftime(pattern: string, when: Date, onPiece?: (piece: string) => void): string | null {
  // Not by `replace`, which remembers all places before it fills the first.
  let text = '';
  let from = 0;
  for (let at = pattern.indexOf('%'); at >= 0; at = pattern.indexOf('%', from)) {
    text += pattern.slice(from, at);
    const modified = /[EO]/.test(pattern.charAt(at + 1));
    const letter = pattern.charAt(at + (modified ? 2 : 1));
    const conversion = Object.hasOwn(conversions, letter) ? conversions[letter] : undefined;
    if (conversion === undefined) return null;
    const piece = conversion(when);
    onPiece?.(piece);
    text += piece;
    from = at + (modified ? 3 : 2);
  }
  return text + pattern.slice(from);
}
