import { describe, expect, it } from 'vitest';
import { pauseText, pauseView, readPause } from '../../../../src/contract/changes/pause.js';
import { emptyLedger, postponeRequests } from '../../../../src/contract/people/ledger.js';
import type { HumanRequest } from '../../../../src/contract/people/human-request.js';

describe('what anybody sends to pause a run', () => {
  it('is read, without what nobody knows', () => {
    expect(readPause({ by: 'ann', deadlines: 'stand_still', more: 1 })).toEqual({
      by: 'ann',
      deadlines: 'stand_still',
    });
    expect(readPause({})).toEqual({});
  });

  it.each([
    [null],
    ['ann'],
    [[]],
    [{ by: 1 }],
    [{ by: '' }],
    [{ reason: 'x'.repeat(1_001) }],
    [{ deadlines: 'x' }],
  ])('is refused: %j', (given) => {
    expect(readPause(given)).toBeTypeOf('string');
  });

  it('is shown with who, since when and why', () => {
    const at = Date.parse('2026-01-01T00:00:00.000Z');
    expect(pauseText(pauseView({ at, by: 'ann', reason: 'look' }))).toBe(
      'paused by ann since 2026-01-01T00:00:00.000Z: look',
    );
    expect(pauseText(pauseView({ at }))).toBe('paused since 2026-01-01T00:00:00.000Z');
  });
});

describe('requests whose time stood still', () => {
  const day = (number: number): string => `2026-01-0${number}T00:00:00.000Z`;
  const moved = (request: Partial<HumanRequest>): HumanRequest | undefined =>
    postponeRequests(
      { ...emptyLedger('run'), open: [{ deadline: null, ...request } as HumanRequest] },
      86_400_000,
    ).open[0];

  it('have all of it afterwards', () => {
    expect(moved({ deadline: day(2) })).toEqual({ deadline: day(3) });
    expect(moved({})).toEqual({ deadline: null });
    expect(moved({ reminder: { every_ms: 1, at: day(4), number: 2 } })?.reminder?.at).toBe(day(5));
  });

  it('end at their moment of the calendar at the latest', () => {
    expect(moved({ deadline: day(2), expires_at: day(2) })?.deadline).toBe(day(2));
    expect(moved({ deadline: day(2), expires_at: day(4) })).toEqual({ deadline: day(3), expires_at: day(4) });
  });

  it('keep those who were asked, and ask the others later', () => {
    const escalation = [
      { to: ['bob'], at: day(1), asked: true },
      { to: ['eve'], at: day(2), asked: false },
    ];
    expect(moved({ escalation })?.escalation?.map(({ at }) => at)).toEqual([day(1), day(3)]);
  });
});
