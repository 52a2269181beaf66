import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../../src/contract/effects/effects.js';
import { answerOf, outputOf, runFake } from '../../../support/fake-host.js';

const deferred = (at: string): string =>
  `return Procedure.defer{ key = " k1 ", resume_at = ${at}, reason = "the shop is closed" }`;

describe('Procedure.defer', () => {
  it.each([
    ['2099-01-01T00:00:00Z', '2099-01-01T00:00:00Z'],
    ['2026-03-01T01:30:00+01:00', '2026-03-01T00:30:00Z'],
    ['2026-03-01 01:30-0530', '2026-03-01T07:00:00Z'],
    ['2026-03-01t01:30:15.25z', '2026-03-01T01:30:15.250Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
  ])('waits until %s', (at, expected) => {
    const asked: Effect[] = [];
    const perform: typeof answerOf = (effect, request) => {
      asked.push(effect);
      return answerOf(effect, request);
    };
    const { ended, program } = runFake(deferred(`"${at}"`), { perform });
    expect(ended).toMatchObject({
      output: { completed: true, key: 'k1', resume_at: expected, reason: 'the shop is closed' },
    });
    expect(asked).toEqual([{ kind: 'defer', key: 'k1', resumeAt: expected, reason: 'the shop is closed' }]);
    expect(program.log.entries).toMatchObject([{ type: 'scheduled_continuation', name: 'k1' }]);
  });

  it.each([
    ['"bad"', 'resume_at as an ISO 8601 time'],
    ['"2026-02-30T00:00:00Z"', 'resume_at as an ISO 8601 time'],
    ['"2026-01-01T25:00:00Z"', 'resume_at as an ISO 8601 time'],
    ['"2026-01-01T00:00:00+25:00"', 'resume_at as an ISO 8601 time'],
    ['"2026-01-01T00:00:00"', 'resume_at with a time zone'],
    ['"2026-01-01"', 'resume_at with a time zone'],
    ['nil', 'resume_at as a text'],
    ['5', 'resume_at as a text'],
    ['" "', 'resume_at as a text'],
  ])('refuses resume_at = %s', (at, message) => {
    const { ended, performed } = runFake(deferred(at));
    expect(performed).toEqual([]);
    expect(ended).toMatchObject({
      error: { code: 'lua_error', message: expect.stringContaining(message) as string, details: { line: 1 } },
    });
  });

  it.each([
    ['{ resume_at = "2099-01-01T00:00:00Z", reason = "r" }', 'needs key'],
    ['{ key = "k", resume_at = "2099-01-01T00:00:00Z" }', 'needs reason'],
    ['{ key = "k", resume_at = "2099-01-01T00:00:00Z", reason = "r", timeout = 1 }', 'has no field timeout'],
    ['"tomorrow"', 'needs a table with key, resume_at and reason'],
    ['', 'needs a table with key, resume_at and reason'],
  ])('refuses %s', (given, message) => {
    expect(outputOf(`return { pcall(function() Procedure.defer(${given}) end) }`)).toEqual([
      false,
      expect.stringContaining(message),
    ]);
  });
});
