import type { Answer } from '../../../support/provider-stand-in.js';
import { recordedAnswer } from '../../../support/recorded-answer.js';
import { failing, forEver, good, goodDay, nothing, type Asked, type FaultyAnswer } from './faulty-answer.js';
import { messages } from './protocols.js';

/** Too many requests, with these headers alone. */
function busy({ protocol }: Asked, headers: Record<string, string> = {}): Answer {
  return { ...protocol.busy, headers: { 'content-type': 'application/json', ...headers } };
}

/** What the provider says of it. */
function reasonOf(answer: Asked['protocol']['busy']): string {
  return (answer.body as { error: { message: string } }).error.message;
}

const answered =
  (kind: 'busy' | 'broken' | 'refused', more = ''): FaultyAnswer['ends'] =>
  (asked) => {
    const { status } = asked.protocol[kind];
    return failing(`answered ${status}: ${reasonOf(asked.protocol[kind])}${more}`)(asked);
  };

/** 1, 2, 4 … 32 s, and a minute each of the last three times. */
const tenAttempts = { attempts: [10], waits: [243, 486] } as const;

/** Errors that a provider answers with a status. */
export const tooBusy: FaultyAnswer[] = [
  {
    name: '429 as it was recorded',
    answers: ({ protocol }) => [protocol.busy, good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: '429 with a time in seconds',
    answers: (asked) => [busy(asked, { 'retry-after': '700' }), good],
    ...{ ends: goodDay, attempts: [2], waits: [700, 1_400] },
  },
  {
    name: '429 with a time in ms, which is the exact one',
    answers: (asked) => [busy(asked, { 'retry-after-ms': '200000', 'retry-after': '900' }), good],
    ...{ ends: goodDay, attempts: [2], waits: [200, 400] },
  },
  {
    name: '429 with a date',
    answers: (asked) => {
      const later = {
        ...asked.protocol.busy,
        // From when it is asked, which may be long after the run was started.
        get headers() {
          const date = new Date(Date.now() + 500_000).toUTCString();
          return { 'content-type': 'application/json', 'retry-after': date };
        },
      };
      return [later, good];
    },
    ...{ ends: goodDay, attempts: [2], waits: [400, 800] },
  },
  {
    name: '429 with a time that nobody waits for',
    answers: (asked) => [busy(asked, { 'retry-after': '7200' }), good],
    ...{ ends: answered('busy', '; asks to come back in 7200 s'), attempts: [1], paid: nothing },
  },
  {
    name: '429 with a time, more often than errors are tried',
    answers: (asked) => [...forEver(busy(asked, { 'retry-after': '60' })).slice(0, 12), good],
    ...{ ends: goodDay, attempts: [13], waits: [720, 1_440] },
  },
  {
    name: '429 with a time, where the author says how often',
    agent: 'retries = 2',
    answers: (asked) => forEver(busy(asked, { 'retry-after': '60' })),
    ends: answered('busy', '; asks to come back in 60 s (attempt 3 of 3)'),
    ...{ attempts: [3], waits: [120, 240], paid: nothing },
  },
  {
    name: '429 without a time',
    answers: (asked) => [busy(asked), good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: '429 without a time, for ever',
    answers: (asked) => forEver(busy(asked)),
    ...{ ends: answered('busy', ' (attempt 10 of 10)'), ...tenAttempts, paid: nothing },
  },
  {
    name: '429 that is not to be tried again',
    answers: (asked) => [busy(asked, { 'x-should-retry': 'false', 'retry-after': '5' }), good],
    ...{ ends: answered('busy'), attempts: [1], paid: nothing },
  },
  {
    name: '429 because there is no money',
    where: ({ protocol }) => protocol !== messages,
    answers: () => [recordedAnswer('openai-429-no-money'), good],
    ends: failing(`answered 429: ${reasonOf(recordedAnswer('openai-429-no-money'))}`),
    ...{ attempts: [1], paid: nothing },
  },
  {
    name: '400',
    answers: ({ protocol }) => [protocol.refused, good],
    ...{ ends: answered('refused'), attempts: [1], paid: nothing },
  },
  {
    name: '400 that is to be tried again',
    answers: ({ protocol: { refused } }) => [
      { ...refused, headers: { ...refused.headers, 'x-should-retry': 'true' } },
      good,
    ],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: '500',
    answers: ({ protocol }) => [protocol.broken, good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: '500, for ever',
    answers: ({ protocol }) => forEver(protocol.broken),
    ...{ ends: answered('broken', ' (attempt 10 of 10)'), ...tenAttempts, paid: nothing },
  },
  {
    name: '500, for as long as its author says',
    agent: 'retry = { total_seconds = 2900, delay_seconds = 200, max_delay_seconds = 200 }',
    answers: ({ protocol }) => forEver(protocol.broken),
    ends: answered('broken', ' (attempt 17)'),
    // That which was waited for when the time was over is the last.
    ...{ attempts: [17], waits: [3_200, 6_400], paid: nothing },
  },
  {
    name: '429 with a time that is beyond all that its author has',
    agent: 'retry = { total_seconds = 600 }',
    answers: (asked) => [busy(asked, { 'retry-after': '700' }), good],
    ...{ ends: answered('busy', '; asks to come back in 700 s'), attempts: [1], paid: nothing },
  },
  {
    name: '500 that is not to be tried again',
    answers: ({ protocol: { broken } }) => [
      { ...broken, headers: { ...broken.headers, 'x-should-retry': 'false' } },
      good,
    ],
    ...{ ends: answered('broken'), attempts: [1], paid: nothing },
  },
  {
    name: '529',
    where: ({ protocol }) => protocol === messages,
    answers: () => [recordedAnswer('anthropic-529'), good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: '502 with a page of 3 MB',
    answers: () => [
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<p>Bad Gateway</p>'.repeat(170_000) },
      good,
    ],
    ...{ ends: goodDay, attempts: [2] },
  },
];
