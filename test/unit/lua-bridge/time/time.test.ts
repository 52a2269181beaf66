import { describe, expect, it } from 'vitest';
import { outputOf, runFake, runStart, type Perform } from '../../../support/fake-host.js';

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

it('os.time brings the fields of its table into range, and did not in runs of an older engine', () => {
  const source = `local t = {year = "2026", month = 14, day = 35, hour = 12}
    local seconds = os.time(t)
    return {t.year, t.month, t.day, t.hour, t.min or -1, t.wday or -1, t.yday or -1, seconds == os.time(t)}`;
  expect(outputOf(source)).toEqual([2027, 3, 7, 12, 0, 1, 66, true]);
  expect(outputOf(source, { engine: 8 })).toEqual(['2026', 14, 35, 12, -1, -1, -1, true]);
});

it.each([
  '2027-02-30',
  '2027-02-30T09:00:00Z',
  '2027-13-01',
  '2027-01-31T25:00:00Z',
  '2027-01-31T09:00:00',
  '31.01.2027',
])('%s is no moment for expires_at and resume_at', (text) => {
  expect(() => outputOf(`Human.approve{message = "m", expires_at = "${text}"}`)).toThrow('needs expires_at');
  expect(() => outputOf(`Procedure.defer{key = "k", reason = "r", resume_at = "${text}"}`)).toThrow(
    'needs resume_at',
  );
});

it.each([
  ['2027-01-31T09:00Z', '2027-01-31T09:00:00.000Z'],
  ['2027-01-31 09:00:00z', '2027-01-31T09:00:00.000Z'],
  ['2027-01-31T09:00:00,5+01:30', '2027-01-31T07:30:00.500Z'],
  ['2028-02-29T23:59:59.123456789Z', '2028-02-29T23:59:59.123Z'],
])('%s is the same moment for both', (text, moment) => {
  const asked: unknown[] = [];
  const perform: Perform = (effect) => {
    if (effect.kind === 'human') asked.push(effect.ask.policy?.expiresAt);
    if (effect.kind === 'defer') asked.push(Date.parse(effect.resumeAt));
    return { value: true };
  };
  outputOf(
    `Human.approve{message = "m", expires_at = "${text}"}
    Procedure.defer{key = "k", reason = "r", resume_at = "${text}"}`,
    { perform },
  );
  expect(asked).toEqual([Date.parse(moment), Date.parse(moment)]);
});

it('a run of an older engine keeps the moment that it took a date for', () => {
  const { program } = runFake('Human.approve{message = "m", expires_at = "2027-02-30"}', { engine: 8 });
  expect(program.log.entries).toMatchObject([{ type: 'hitl_approval' }]);
});
