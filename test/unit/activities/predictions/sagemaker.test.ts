import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import { awsCredentials } from '../../../support/aws-credentials.js';
import {
  startSageMaker,
  type SageMakerAnswer,
  type SageMakerStandIn,
} from '../../../support/sagemaker-stand-in.js';
import { failureOf, idempotencyKey, runActivity, textOf } from '../run-activity.js';

let sagemaker: SageMakerStandIn;
beforeAll(() => {
  for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_REGION', undefined);
  vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
});
afterAll(() => vi.unstubAllEnvs());
beforeEach(async () => {
  sagemaker = await startSageMaker();
});
afterEach(() => sagemaker.close());

function ask(inputs: JsonValue[], settings: JsonObject = {}, timeoutMs = 10_000) {
  const backend = {
    type: 'sagemaker' as const,
    settings: { endpoint: 'churn', region: 'eu-west-1', base_url: sagemaker.url, ...settings },
    timeoutMs,
  };
  return runActivity('runModel', { run: { model: 'churn', backend, inputs }, idempotencyKey });
}

describe('a model of SageMaker', () => {
  it('is sent each input as signed JSON, and says which variant answered', async () => {
    sagemaker.reply(({ body }) => ({
      json: { score: (JSON.parse(body) as { n: number }).n / 10 },
      variant: 'B',
    }));
    expect(await ask([{ n: 1 }, { n: 2 }], { variant: 'B' })).toEqual({
      outputs: [{ score: 0.1 }, { score: 0.2 }],
      cost: null,
      version: 'B',
    });
    expect(sagemaker.invoked).toEqual([
      { endpoint: 'churn', variant: 'B', contentType: 'application/json', body: '{"n":1}' },
      { endpoint: 'churn', variant: 'B', contentType: 'application/json', body: '{"n":2}' },
    ]);
  });

  it('takes and gives text where it says so', async () => {
    sagemaker.reply(() => ({ text: '0.7', contentType: 'text/csv' }));
    const settings = { content_type: 'text/csv', accept: 'text/csv' };
    expect(await ask(['1,2,3'], settings)).toMatchObject({ outputs: ['0.7'] });
    expect(sagemaker.invoked[0]).toMatchObject({ contentType: 'text/csv', body: '1,2,3' });
  });

  it('gives the part of the answer that is named', async () => {
    sagemaker.reply(() => ({ json: { predictions: [{ label: 'leaves' }] } }));
    expect(await ask([1], { response: 'predictions.0.label' })).toMatchObject({ outputs: ['leaves'] });
    expect(await failureOf(ask([1], { response: 'predictions.1.label' }))).toMatchObject({
      ...{ type: 'predict_failed', nonRetryable: true },
      message: expect.stringMatching(/predictions of the answer has no "1"/) as string,
    });
    // Nothing, and what else JavaScript takes for a number, is no place in a list.
    for (const name of ['', ' ', '0x0', '-0', '1e0'])
      expect(await failureOf(ask([1], { response: `predictions.${name}.label` }))).toMatchObject({
        ...{ type: 'predict_failed', nonRetryable: true },
        message: expect.stringContaining(`predictions of the answer has no "${name}"`) as string,
      });
  });

  const modelError = (status: number): SageMakerAnswer => ({
    error: { status: 424, type: 'ModelError', message: 'the container said no', original: status },
  });
  const failing: [what: string, answer: SageMakerAnswer, isAgain: boolean, message: RegExp][] = [
    [
      'a container that refuses the input',
      modelError(400),
      false,
      /churn failed \(ModelError: the container said no\)/,
    ],
    ['a container that fails', modelError(500), true, /the container said no/],
    [
      'an endpoint that is not there',
      { error: { status: 400, type: 'ValidationError', message: 'Endpoint churn not found' } },
      ...([false, /Endpoint churn not found/] as const),
    ],
    [
      'a service that is overloaded',
      { error: { status: 429, type: 'ThrottlingException', message: 'Slow down' } },
      ...([true, /Slow down/] as const),
    ],
    [
      'a service that is down',
      { error: { status: 503, type: 'ServiceUnavailable', message: 'Later' } },
      ...([true, /Later/] as const),
    ],
    ['a page', { text: '<html>', contentType: 'application/json' }, true, /text that is not JSON/],
  ];
  it.each(failing)('that is %s', async (_, answer, isAgain, message) => {
    sagemaker.reply(() => answer);
    expect(await failureOf(ask([1]))).toMatchObject({
      ...{ type: 'predict_failed', nonRetryable: !isAgain },
      message: expect.stringMatching(message) as string,
    });
    expect(sagemaker.invoked).toHaveLength(1);
  });

  it('whose answer is larger than can be recorded fails once', async () => {
    sagemaker.reply(() => ({ json: 'x'.repeat(3_000_000) }));
    expect(await failureOf(ask([1]))).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
  });

  it('that says nothing in its time is asked again', async () => {
    sagemaker.reply(() => ({ hang: true }));
    expect(await failureOf(ask([1], {}, 200))).toMatchObject({
      ...{ type: 'predict_failed', nonRetryable: false },
      message: 'Model churn: gave no answer within 200 ms',
    });
  });

  it('refuses who signs with another key, and no key is told', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another/secret+key');
    const failure = await failureOf(ask([1]));
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', awsCredentials.AWS_SECRET_ACCESS_KEY);
    expect(failure).toMatchObject({ type: 'predict_failed', nonRetryable: true });
    expect(textOf(failure)).toContain('InvalidSignatureException');
    expect(textOf(failure)).not.toContain('another/secret');
    expect(sagemaker.invoked).toEqual([]);
    // Keys that are replaced while the worker runs are read anew.
    sagemaker.reply(() => ({ json: 1 }));
    expect(await ask([1])).toMatchObject({ outputs: [1] });
  });

  it('is asked over connections that are kept, one question after the other', async () => {
    sagemaker.reply(() => ({ json: 1 }));
    for (let i = 0; i < 3; i++) expect(await ask([1, 2])).toMatchObject({ outputs: [1, 1] });
    expect(sagemaker.connections()).toBeLessThanOrEqual(2);
  });

  it('needs a region, from its declaration or the environment', async () => {
    expect(await failureOf(ask([1], { region: null }))).toMatchObject({
      ...{ type: 'predict_failed', nonRetryable: true },
      message: expect.stringContaining('no region is known') as string,
    });
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    sagemaker.reply(() => ({ json: 1 }));
    expect(await ask([1], { region: null })).toMatchObject({ outputs: [1] });
    vi.stubEnv('AWS_REGION', undefined);
  });
});

it('a model that Python alone loads is refused by a worker in Node', async () => {
  const backend = { type: 'sklearn' as const, settings: { path: 'm.skops' }, timeoutMs: 1_000 };
  const run = { model: 'm', backend, inputs: [1] };
  expect(await failureOf(runActivity('runModel', { run, idempotencyKey }))).toMatchObject({
    ...{ type: 'predict_failed', nonRetryable: true },
    message: expect.stringContaining('needs a worker in Python') as string,
  });
});
