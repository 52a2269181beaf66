import type { Answer } from '../../../support/provider-stand-in.js';
import { recordedAnswer } from '../../../support/recorded-answer.js';
import { failing, forEver, good, goodDay, nothing, type Asked, type FaultyAnswer } from './faulty-answer.js';
import { chatCompletions, messages, responses } from './protocols.js';

const long = { text: 'Grüße aus Köln, die Lieferung kommt morgen früh an.' };

/** Some of the answer has come: of a stream, the first words. */
const afterBytes = ({ isStreamed }: Asked): number => (isStreamed ? 700 : 60);

const patient = { isTimed: true, agent: 'request_timeout = "3s"' } as const;

/** What can't be used is paid for, so it is asked for three times. */
const threeAttempts = { attempts: [3], waits: [3, 100], paid: nothing } as const;

const unusable =
  (message: RegExp): FaultyAnswer['ends'] =>
  () => ({
    code: 'model_call_failed',
    message: new RegExp(`^(openai/gpt-x|anthropic/claude-x): (${message.source}).* \\(attempt 3 of 3\\)$`),
  });

const isStreamed = (asked: Asked): boolean => asked.isStreamed;
const text = (body: string, type = 'application/json'): Answer => ({
  ...{ status: 200, headers: { 'content-type': type }, body },
});
const failed =
  'failed while it answered: The server had an error while processing your request. Sorry about that!';

/** Answers that don't come, or come in part, or are no answers. */
export const broken: FaultyAnswer[] = [
  {
    name: 'none in time',
    ...patient,
    answers: () => [{ hang: true }, good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: 'none in time, for ever',
    ...patient,
    agent: `${patient.agent}, retries = 1`,
    answers: () => forEver({ hang: true }),
    ends: failing('gave no answer within 3000 ms (attempt 2 of 2)'),
    ...{ attempts: [2], paid: nothing },
  },
  {
    name: 'one that falls silent',
    ...patient,
    answers: (asked) => [{ cut: long, afterBytes: afterBytes(asked), hangs: true }, good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: 'a closed connection',
    answers: () => [{ reset: true }, good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: 'half of one, and the connection breaks',
    answers: (asked) => [{ cut: long, afterBytes: afterBytes(asked) }, good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: 'half of one, and the connection breaks, for ever',
    answers: (asked) => forEver({ cut: long, afterBytes: afterBytes(asked) }),
    ends: failing('broke off its answer (UND_ERR_SOCKET) (attempt 3 of 3)'),
    ...threeAttempts,
  },
  {
    name: 'half of one, and it just stops',
    answers: (asked) => forEver({ cut: long, afterBytes: afterBytes(asked), tidily: true }),
    ends: unusable(
      /answered 200, but not in the provider's format|gave a broken answer|broke off its answer/,
    ),
    ...threeAttempts,
  },
  {
    name: 'nothing',
    answers: () => forEver({ cut: long, afterBytes: 0, tidily: true }),
    ends: unusable(
      /answered 200, but not in the provider's format: nothing|gave a broken answer|broke off its answer/,
    ),
    ...threeAttempts,
  },
  {
    name: 'text that is no JSON',
    answers: () => [text('upstream connect error', 'text/plain'), good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: 'text that is no JSON, for ever',
    answers: () => forEver(text('upstream connect error', 'text/plain')),
    ends: unusable(
      /answered 200, but not in the provider's format: upstream connect error|gave a broken answer|broke off its answer/,
    ),
    ...threeAttempts,
  },
  {
    name: 'an event that is no JSON, for ever',
    where: isStreamed,
    answers: () => forEver(text('data: {"type":"message_st\n\n', 'text/event-stream')),
    ends: unusable(/gave a broken answer: JSON parsing failed|gave a broken answer: its stream is no JSON/),
    ...threeAttempts,
  },
  {
    name: 'JSON of something else, for ever',
    answers: () => forEver({ json: { hello: 'world' } }),
    ends: unusable(
      /answered 200, but not in the provider's format|gave a broken answer|broke off its answer/,
    ),
    ...threeAttempts,
  },
  {
    name: 'the page of a proxy',
    answers: () => [recordedAnswer('proxy-200-html'), good],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: 'the page of a proxy, for ever',
    answers: () => forEver(recordedAnswer('proxy-200-html')),
    ends: failing('answered with a web page (text/html); is the base URL right? (attempt 10 of 10)'),
    ...{ attempts: [10], waits: [243, 486], paid: nothing },
  },
  {
    name: 'a stream that tells of an error',
    where: isStreamed,
    answers: ({ protocol }) => [
      recordedAnswer(
        protocol === messages
          ? 'anthropic-stream-overloaded'
          : protocol === responses
            ? 'responses-stream-failed'
            : 'openai-stream-error',
      ),
      good,
    ],
    ...{ ends: goodDay, attempts: [2] },
  },
  {
    name: 'a stream that tells of an error of no status, for ever',
    where: ({ protocol, isStreamed }) => isStreamed && protocol === chatCompletions,
    answers: () => forEver(recordedAnswer('openai-stream-error')),
    ends: failing(`${failed} (attempt 3 of 3)`),
    ...threeAttempts,
  },
  {
    name: 'a stream that tells of too much work, for ever',
    where: ({ protocol, isStreamed }) => isStreamed && protocol === messages,
    answers: () => forEver(recordedAnswer('anthropic-stream-overloaded')),
    ends: failing('failed while it answered: Overloaded (attempt 10 of 10)'),
    ...{ attempts: [10], waits: [243, 486], paid: nothing },
  },
  {
    name: 'one that has failed, for ever',
    where: ({ protocol }) => protocol === responses,
    answers: ({ isStreamed }) =>
      forEver(recordedAnswer(isStreamed ? 'responses-stream-failed' : 'responses-200-failed')),
    ends: failing(`${failed} (attempt 10 of 10)`),
    ...{ attempts: [10], waits: [243, 486], paid: nothing },
  },
  {
    name: 'a stream that says there is no money',
    where: ({ protocol, isStreamed }) => isStreamed && protocol === responses,
    answers: () => [recordedAnswer('responses-stream-no-money'), good],
    ends: failing(
      'answered 429: You exceeded your current quota, please check your plan and billing details.',
    ),
    ...{ attempts: [1], paid: nothing },
  },
];
