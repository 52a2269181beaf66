import { expect, it } from 'vitest';
import { messageParts } from '../../../../../src/activities/people/channels/message-parts.js';
import type { HumanRequest } from '../../../../../src/contract/people/human-request.js';
import { aRequest } from '../../../contract/human-request.fixture.js';

function textOf(parts: Partial<HumanRequest>): string | null {
  const request = { ...aRequest(parts), whole: true };
  const to = { channel: 'ops', key: 'k', why: 'asked', number: 1, procedure: 'orders', to: null } as const;
  return messageParts({ ...to, told: [], request }, request, undefined).context;
}

it('a person who is asked about a failure reads what another attempt does', () => {
  const repeats = [{ position: '1', type: 'http', name: 'POST x', effect: 'once', repeats: true }];
  const context = { error: 'late', code: null, repeats, more: 0, second_time: 1 };
  expect(textOf({ by_host: true, context })).toBe(
    [
      'If you try it again, 1 effect that must not be repeated is done a second time',
      'Another attempt asks again for:',
      '  1  http POST x (once): a second time',
      'Error: late',
    ].join('\n'),
  );
  expect(textOf({ context })).toContain('"second_time": 1');
});
