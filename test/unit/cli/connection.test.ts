import { expect, it } from 'vitest';
import { boundedAsk } from '../../../src/cli/connection.js';
import type { Session } from '../../../src/cli/session.js';

/** As gRPC says that nobody answered in time. */
const unanswered = Object.assign(new Error('4 DEADLINE_EXCEEDED'), {
  code: 4,
  details: 'Deadline exceeded',
  metadata: {},
});
const session = {
  embedded: null,
  target: { address: 'there:7233', namespace: 'default', taskQueue: 'tactus' },
  connection: { withDeadline: (_deadline: number, question: () => Promise<unknown>) => question() },
} as unknown as Session;

function question(): { asked: () => number; ask: () => Promise<string> } {
  let asked = 0;
  return {
    asked: () => asked,
    ask: () => (++asked === 1 ? Promise.reject(unanswered) : Promise.resolve('an answer')),
  };
}

it('asks again where somebody may answer', async () => {
  const { ask, asked } = question();
  expect(await boundedAsk(session, ask, [1, 1], () => Promise.resolve(true))).toBe('an answer');
  expect(asked()).toBe(2);
});

it('gives up where nobody is there', async () => {
  const { ask, asked } = question();
  const answer = boundedAsk(session, ask, [1, 1], () => Promise.resolve(false));
  await expect(answer).rejects.toMatchObject({ code: 'no_worker', details: { address: 'there:7233' } });
  expect(asked()).toBe(1);
});
