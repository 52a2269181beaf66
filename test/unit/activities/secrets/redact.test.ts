import { describe, expect, it } from 'vitest';
import { Fault, toFailure } from '../../../../src/activities/retries/failures.js';
import { createRedactor, secretsOf } from '../../../../src/activities/secrets/secrets.js';
import { TactusError } from '../../../../src/contract/errors.js';
import { textOf } from '../run-activity.js';

const secret = 'canary+value/of=42';

describe('secretsOf', () => {
  it('finds what variables with telling names hold', () => {
    const env = {
      OPENAI_API_KEY: 'a',
      DB_PASSWORD: 'b',
      GITHUB_TOKEN: 'c',
      MY_SECRET: 'd',
      AWS_CREDENTIALS: 'e',
      HOME: 'f',
      EMPTY_KEY: undefined,
    };
    expect(secretsOf(env).filter((value) => value !== '')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('a message', () => {
  const redactor = createRedactor([secret, 'short', '', 'first line\nsecond line of it']);
  it.each([
    [`the key is ${secret}!`, 'the key is [redacted]!'],
    [`?key=${encodeURIComponent(secret)}`, '?key=[redacted]'],
    [`Basic ${Buffer.from(secret).toString('base64')}`, 'Basic [redacted]'],
    ['Authorization: Bearer abcdefgh12345678', 'Authorization: [redacted]'],
    ['Incorrect API key provided: sk-proj-abc***********xyz.', 'Incorrect API key provided: [redacted]'],
    ['only second there', 'only [redacted] there'],
    ['a short word, scikit-learn, sk-learn', 'a short word, scikit-learn, sk-learn'],
  ])('%s', (text, expected) => {
    expect(redactor.message(text)).toBe(expected);
  });
});

describe('a value', () => {
  it('loses the secrets in texts and names of members, and nothing else', () => {
    const value = { a: [`x ${secret}`, 1, null, true], [secret]: { b: 'sk-not-this-one-0123456789' } };
    expect(createRedactor([secret]).value(value)).toEqual({
      a: ['x [redacted]', 1, null, true],
      '[redacted]': { b: 'sk-not-this-one-0123456789' },
    });
    const odd = JSON.parse('{"__proto__": {"x": 1}}') as object;
    expect(JSON.stringify(createRedactor([secret]).value(odd))).toBe('{"__proto__":{"x":1}}');
  });
});

describe('a failure', () => {
  const edge = { code: 'predict_failed', subject: 'Model m', secrets: () => [secret] } as const;

  it('has no secret in message, causes and details', () => {
    const root = new Error(`root ${secret}`);
    const cause = Object.assign(new Error(`headers: ${secret}`, { cause: root }), {
      headers: { key: secret },
    });
    cause.stack = `Error: ${secret}\n    at somewhere`;
    const failures = [
      toFailure(new Fault(`message ${secret}`, { retryable: true, cause }), edge),
      toFailure(
        new TactusError('file_failed', `message ${secret}`, { path: secret, ...{ [secret]: [secret] } }),
        edge,
      ),
      toFailure(new Error(secret), edge),
      toFailure(secret, edge),
    ];
    for (const failure of failures) expect(textOf(failure)).not.toContain(secret);
    expect(failures[0]?.cause?.message).toBe('headers: [redacted]');
    expect((failures[0]?.cause?.cause as Error).message).toBe('root [redacted]');
  });

  it('is short, and cut only where no secret could be halved', () => {
    const text = `${'x'.repeat(590)} ${secret} ${'y'.repeat(5_000)}`;
    const { message } = toFailure(new Fault(text, { retryable: true }), edge);
    expect(message.length).toBeLessThanOrEqual(600);
    expect(message).not.toContain(secret.slice(0, 6));
  });

  it('takes a mistake in a program for one that repeats itself, and anything else for one that may not', () => {
    expect(toFailure(new TypeError('x is not a function'), edge).nonRetryable).toBe(true);
    expect(toFailure(new Error('the socket hung up'), edge).nonRetryable).toBe(false);
  });
});
