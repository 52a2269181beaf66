import type { Holds } from '../../contract/engine.js';
import type { CallGuard } from '../determinism/determinism.js';
import {
  checkString,
  lauxlib,
  literal,
  lua,
  openLibrary,
  pushField,
  pushText,
  raise,
  setField,
  toText,
  weigh,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';

export interface OsOptions {
  /** The run's clock as a thread sees it, and when the run began, in ms since 1970. */
  now: (thread: LuaState) => number;
  startedAt: number;
  runId: string;
  /** Asked before what may differ elsewhere; the time of a given date is the same at any time. */
  guard: CallGuard;
  holds: Holds;
}

/** `os`, as far as a procedure may have it: the time of the run, which stands still between two effects. All in UTC. */
export function openOs(L: LuaState, { now, startedAt, runId, guard, holds }: OsOptions): void {
  let names = 0;
  const functions: Record<string, CFunction> = {
    time: (thread) => {
      const isNow = lua.lua_isnoneornil(thread, 1);
      if (isNow) guard(thread, 'os.time()');
      const seconds = isNow ? Math.floor(now(thread) / 1000) : timeOf(thread);
      if (!isNow && holds('whole-moments')) setFields(thread, 1, new Date(seconds * 1000));
      lua.lua_pushinteger(thread, seconds);
      return 1;
    },
    date: (thread) => {
      if (lua.lua_isnoneornil(thread, 2)) guard(thread, 'os.date()');
      return date(thread, now);
    },
    clock: (thread) => {
      guard(thread, 'os.clock()');
      lua.lua_pushnumber(thread, (now(thread) - startedAt) / 1000);
      return 1;
    },
    difftime: (thread) => {
      lua.lua_pushnumber(thread, lauxlib.luaL_checknumber(thread, 1) - lauxlib.luaL_checknumber(thread, 2));
      return 1;
    },
    // The environment is the worker's: what a procedure needs of it comes as input.
    getenv: (thread) => {
      lauxlib.luaL_checkstring(thread, 1);
      guard(thread, 'os.getenv()');
      lua.lua_pushnil(thread);
      return 1;
    },
    tmpname: (thread) => {
      guard(thread, 'os.tmpname()');
      pushText(thread, `tmp/${runId.replace(/[^A-Za-z0-9_-]/g, '_')}_${++names}`);
      return 1;
    },
  };
  openLibrary(L, 'os', functions, Object.keys(functions));
}

/** Seconds since 1970 of a table such as `{year = 2040, month = 1, day = 1}`; noon where it names no hour. */
function timeOf(L: LuaState): number {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
  const field = (name: string, fallback: number | null): number => {
    const type = pushField(L, 1, name);
    const value = lua.lua_tonumber(L, -1);
    lua.lua_pop(L, 1);
    if (type === lua.LUA_TNIL && fallback !== null) return fallback;
    if (type === lua.LUA_TNIL) return raise(L, `field '${name}' missing in date table`);
    if (!Number.isInteger(value)) return raise(L, `field '${name}' is not an integer`);
    return value;
  };
  const [year, month, day] = [field('year', null), field('month', null), field('day', null)];
  const milliseconds = Date.UTC(year, month - 1, day, field('hour', 12), field('min', 0), field('sec', 0));
  if (Number.isNaN(milliseconds)) return raise(L, 'time result cannot be represented');
  if (year >= 0 && year < 100) return Math.floor(new Date(milliseconds).setUTCFullYear(year) / 1000);
  return Math.floor(milliseconds / 1000);
}

/** Instructions that one `%c` or `%G` costs. */
const conversionCost = 60;

function date(L: LuaState, now: OsOptions['now']): number {
  const pattern = lua.lua_isnoneornil(L, 1) ? '%c' : (toText(L, 1) ?? raise(L, 'the format must be text'));
  const seconds = lua.lua_isnoneornil(L, 2) ? Math.floor(now(L) / 1000) : lauxlib.luaL_checkinteger(L, 2);
  const when = new Date(seconds * 1000);
  if (Number.isNaN(when.getTime())) return raise(L, 'date result cannot be represented');
  const plain = pattern.replace(/^!/, '');
  if (!plain.startsWith('*t')) {
    let length = 0;
    const text = strftime(plain, when, (piece) => {
      weigh(L, conversionCost);
      checkString(L, (length += piece.length));
    });
    if (text === null) return lauxlib.luaL_argerror(L, 1, literal('invalid conversion specifier'));
    pushText(L, text);
    return 1;
  }
  lua.lua_createtable(L, 0, 9);
  setFields(L, -1, when);
  return 1;
}

/** Sets the fields of a date in the table at the index. */
function setFields(L: LuaState, index: number, when: Date): void {
  const table = lua.lua_absindex(L, index);
  const fields: Record<string, number> = {
    year: when.getUTCFullYear(),
    month: when.getUTCMonth() + 1,
    day: when.getUTCDate(),
    hour: when.getUTCHours(),
    min: when.getUTCMinutes(),
    sec: when.getUTCSeconds(),
    wday: when.getUTCDay() + 1,
    yday: Number(strftime('%j', when)),
  };
  for (const [name, value] of Object.entries(fields)) {
    lua.lua_pushinteger(L, value);
    setField(L, table, name);
  }
  lua.lua_pushboolean(L, false);
  setField(L, table, 'isdst');
}

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
function strftime(pattern: string, when: Date, onPiece?: (piece: string) => void): string | null {
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
