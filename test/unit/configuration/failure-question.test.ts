import { expect, it } from 'vitest';
import { onFailureOf } from '../../../src/configuration/failure-question.js';
import type { FailureQuestion } from '../../../src/contract/people/failure-question.js';
import type { JsonValue } from '../../../src/contract/json/json.js';

const read = (...given: JsonValue[]): Promise<FailureQuestion | null> =>
  onFailureOf(given.map((question, i) => ({ file: `${i}.yml`, config: { on_failure: question } })));

it.each<[JsonValue[], JsonValue]>([
  [[], null],
  [['ask'], {}],
  [[{ approvers: ['ann'], timeout: '1d' }, { approvers: 'bob' }], { approvers: 'bob' }],
  [[{ approvers: ['ann'] }, null], { approvers: ['ann'] }],
  [[{ approvers: ['ann'] }, 'ask'], {}],
  [['ask', false], null],
  [[false, 'ask'], {}],
])('of %j the last holds, whole', async (given, question) => expect(await read(...given)).toEqual(question));

it.each<[JsonValue, string]>([
  ['tell', '0.yml: on_failure must be "ask", false'],
  [true, '0.yml: on_failure must be'],
  [{ who: 'ops' }, '0.yml: on_failure has no field who'],
  [{ default: 'value' }, 'needs default as "retry_here", "retry" or "give_up"'],
  [{ approvers: [1] }, '0.yml: on_failure needs approvers'],
  [{ timeout: 'soon' }, 'timeout'],
  [{ approvers: ['ann'], quorum: 2 }, '2 people must agree, and 1 may'],
])('%j is refused', async (given, message) => {
  await expect(read(given)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(message) as string,
    details: { file: '0.yml' },
  });
});
