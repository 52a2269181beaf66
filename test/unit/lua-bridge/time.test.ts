import { describe, expect, it } from 'vitest';
import { outputOf, runStart } from '../../support/fake-host.js';

describe("a run's clock", () => {
  it('stands still between effects, and goes to the time at which each ended', () => {
    const source = `
      local t = {os.time(), os.clock()}
      for i = 1, 1000 do end
      t[3] = os.time()
      Sleep(1) Sleep(1)
      t[4] = os.time() t[5] = os.clock()
      return t`;
    const start = Math.floor(runStart / 1_000);
    expect(outputOf(source)).toEqual([start, 0, start, start + 2, 2]);
  });

  it.each([
    ['os.date("!%Y-%m-%dT%H:%M:%SZ", 0)', '1970-01-01T00:00:00Z'],
    ['os.date("%Y-%m-%d", 1767225600)', '2026-01-01'],
    ['os.date("%A %a %B %b %d %j %p %I %y", 86400 * 59)', 'Sunday Sun March Mar 01 060 AM 12 70'],
    ['os.date("%c", 0)', 'Thu Jan  1 00:00:00 1970'],
    ['os.date("%x %X %D %F %T %R", 0)', '01/01/70 00:00:00 01/01/70 1970-01-01 00:00:00 00:00'],
    ['os.date("%U %W %V %G %u %w", 1767225600)', '00 00 01 2026 4 4'],
    ['os.date("%%")', '%'],
    ['os.time{year = 2040, month = 1, day = 1, hour = 0}', 2208988800],
    ['os.time{year = 2026, month = 1, day = 1}', 1767268800],
    ['os.time{year = 2026, month = 14, day = -3, hour = 0}', 1801094400],
    ['os.time(os.date("*t", 1767225600)) ', 1767225600],
    ['os.difftime(10, 4)', 6],
    ['os.date("!*t", 0).wday', 5],
    ['os.getenv("HOME") == nil', true],
  ])('%s is %j', (expression, expected) => expect(outputOf(`return ${expression}`)).toEqual(expected));

  it.each([
    ['os.date("%Q")', 'invalid conversion specifier'],
    ['os.date("%")', 'invalid conversion specifier'],
    ['os.date("%c", 1e15)', 'date result cannot be represented'],
    ['os.time{year = 2026}', "field 'month' missing in date table"],
    ['os.time{year = 2026.5, month = 1, day = 1}', "field 'year' is not an integer"],
    ['os.time{year = 1e15, month = 1, day = 1}', 'time result cannot be represented'],
    ['os.time(5)', 'table expected'],
  ])('%s is an error', (expression, message) =>
    expect(() => outputOf(`return ${expression}`)).toThrow(message),
  );
});
