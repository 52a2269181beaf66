import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TenantBudgetKeeper } from '../../../../src/activities/budgets/tenant-budgets.js';
import { noTenantUsage } from '../../../../src/contract/budgets/tenant-budget.js';
import type { ModelBatchInput } from '../../../../src/contract/activities.js';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import {
  startProviderStandIn,
  type Answer,
  type ProviderStandIn,
} from '../../../support/provider-stand-in.js';
import { providersAt } from './providers-at.js';
import { canary, failureOf, makeCall, runActivity, type RunOptions } from '../run-activity.js';

let provider: ProviderStandIn;
beforeEach(async () => {
  provider = await startProviderStandIn();
});
afterEach(() => provider.close());

const tries = { attempts: 3, answers: 3, patienceMs: 1_000, isSaid: false };

interface Asked {
  model?: string;
  more?: Partial<ModelCall>;
  batch?: string;
  /** Which of all calls of the batch the first of these is. */
  from?: number;
  tenant?: string;
  options?: RunOptions;
}

function ask(
  questions: readonly string[],
  { model = 'openai/gpt-5-mini', more = {}, batch, from = 0, tenant, options = {} }: Asked = {},
) {
  const input: ModelBatchInput = {
    calls: questions.map((content, index) => ({
      call: makeCall({ model, messages: [{ role: 'user', content }], ...more }),
      idempotencyKey: `run/0.${from + index}`,
    })),
    idempotencyKey: 'run/0.0/batch',
    ...(batch === undefined ? {} : { batch }),
    ...(tenant === undefined ? {} : { holds: { procedure: 'main', tenant } }),
    tries,
  };
  const env = providersAt(provider.url);
  return runActivity('modelBatch', input, { ...options, deps: { env, ...options.deps } });
}

/** Says again what it was asked, and more where that is wanted. */
function echo({ body }: { body: Record<string, unknown> }, more = ''): Answer {
  const said = (body['messages'] ?? body['input']) as { content: unknown }[];
  const content = said.at(-1)?.content;
  const text = typeof content === 'string' ? content : (content as { text: string }[])[0]?.text;
  return { text: `re: ${text}${more}`, usage: { input: 1_000_000, output: 0 } };
}

const asked = (): string[] =>
  provider.requests.map(({ method, path }) => `${method} ${path.replace(/^.*\/v1\//, '')}`);

const found = (response: string): RunOptions => ({ info: { attempt: 2, heartbeatDetails: { response } } });

describe.each([
  { model: 'openai/gpt-5-mini', modelType: undefined, url: '/openai/v1/chat/completions' },
  { model: 'openai/gpt-5-mini', modelType: 'responses' as const, url: '/openai/v1/responses' },
  { model: 'groq/llama-3.3-70b-versatile', modelType: undefined, url: '/groq/v1/chat/completions' },
  { model: 'anthropic/claude-haiku-4-5', modelType: undefined, url: '/anthropic/v1/messages' },
])('a batch of $model ($url)', ({ model, modelType, url }) => {
  const more = modelType === undefined ? {} : { settings: { modelType } };

  it('is one, with the answers in the order of the calls', async () => {
    provider.reply((request) => echo(request));
    const { batch, outcomes } = await ask(['a', 'b', 'c'], { model, more });
    expect(batch).toBe('batch_1');
    expect(outcomes.map((each) => each?.ok === true && each.result.text)).toEqual([
      're: a',
      're: b',
      're: c',
    ]);
    expect(provider.batches.begun).toHaveLength(1);
    expect(provider.batches.begun[0]?.requests.map(({ path }) => path)).toEqual([url, url, url]);
    expect(asked().filter((each) => /(completions|responses|messages)$/.test(each))).toEqual([]);
  });

  it('is asked for as each call would have been by itself', async () => {
    const settings = { ...more.settings, temperature: 0.5, isBatched: true } as const;
    const tools = [{ name: 'lookup', description: 'Looks up', parameters: { type: 'object' } }];
    provider.reply((request) => echo(request));
    await ask(['a'], { model, more: { settings, tools, system: 'Be brief' } });
    provider.reply((request) => echo(request));
    const call = makeCall({
      model,
      settings,
      tools,
      system: 'Be brief',
      messages: [{ role: 'user', content: 'a' }],
    });
    await runActivity(
      'modelCall',
      { call, idempotencyKey: 'k' },
      { deps: { env: providersAt(provider.url) } },
    );
    expect(provider.batches.begun[0]?.requests[0]?.body).toEqual(provider.requests.at(-1)?.body);
    expect(provider.requests.at(-1)?.path).toBe(url);
  });

  it('keeps the digits of integers past 2^53 in arguments of tools', async () => {
    const pay = { name: 'pay', description: 'Pays', parameters: { type: 'object', properties: { id: {} } } };
    provider.reply({ toolCalls: [{ id: 'a', name: 'pay', arguments: '{"id":9007199254740993}' }] });
    const { outcomes } = await ask(['a'], { model, more: { ...more, tools: [pay] } });
    expect(outcomes).toMatchObject([
      { ok: true, result: { toolCalls: [{ arguments: { id: '9007199254740993' } }] } },
    ]);
  });

  it('is not begun again by the attempt that finds it', async () => {
    provider.reply((request) => echo(request));
    await ask(['a'], { model, more });
    const again = await ask(['a'], { model, more, options: found('batch_1') });
    expect(again.outcomes[0]).toMatchObject({ ok: true, result: { text: 're: a' } });
    expect(provider.batches.begun).toHaveLength(1);
  });

  it('leaves calls to be asked by themselves that it has no answer to', async () => {
    const answers: Answer[] = [
      { text: 'fine' },
      { status: 429, body: { error: { type: 'rate_limit_error', message: 'too many' } } },
      { hang: true },
      { status: 400, body: { error: { type: 'invalid_request_error', message: 'no such thing' } } },
    ];
    provider.reply(...answers);
    const { outcomes } = await ask(['a', 'b', 'c', 'd'], { model, more });
    expect(outcomes).toMatchObject([
      { ok: true, result: { text: 'fine' } },
      { ok: false, code: 'model_call_failed', isAgain: true },
      { ok: false, code: 'model_call_failed', isAgain: true },
      { ok: false, code: 'model_call_failed', isAgain: false },
    ]);
    expect(JSON.stringify(outcomes[2])).toContain('its batch has no answer to it');
  });
});

it('its answers cost half', async () => {
  provider.reply((request) => echo(request));
  const whole = { call: makeCall({ model: 'openai/gpt-5-mini' }), idempotencyKey: 'k' };
  const { usage: full } = await runActivity('modelCall', whole, { deps: { env: providersAt(provider.url) } });
  const { outcomes } = await ask(['a']);
  const [outcome] = outcomes;
  const usage = outcome?.ok === true ? outcome.result.usage : null;
  expect(full.input_usd).toBeGreaterThan(0);
  expect(usage?.input_usd).toBeCloseTo((full.input_usd ?? 0) / 2, 9);
});

it('an answer that its schema refuses is to be asked for again, and was paid for', async () => {
  provider.reply({ text: 'no JSON' });
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const { outcomes } = await ask(['a'], { more: { outputSchema } });
  expect(outcomes).toMatchObject([
    { ok: false, isAgain: true, spent: { input_tokens: 10, output_tokens: 5 } },
  ]);
});

it('one that was begun, but whose id was lost with its worker, is found again', async () => {
  provider.reply((request) => echo(request));
  await ask(['a']);
  const { batch } = await ask(['a'], { options: { info: { attempt: 2 } } });
  expect(batch).toBe('batch_1');
  expect(provider.batches.begun).toHaveLength(1);
});

it('its id is in the heartbeats as soon as it has one', async () => {
  provider.reply((request) => echo(request));
  const beats: unknown[] = [];
  const onStart: RunOptions['onStart'] = (environment) =>
    environment.on('heartbeat', (details) => beats.push(details));
  await ask(['a'], { options: { onStart } });
  expect(beats).toContainEqual({ response: 'batch_1' });
});

describe('calls are to be asked by themselves', () => {
  it.each([
    ['whose provider has no batches', 'mistral/m'],
    ['whose provider is somewhere that has none', 'openai/gpt-5-mini'],
  ])('%s', async (_, model) => {
    const none: typeof fetch = () => Promise.resolve(new Response('{}', { status: 404 }));
    const { batch, outcomes } = await ask(['a', 'b'], { model, options: { deps: { fetch: none } } });
    expect(batch).toBeNull();
    expect(outcomes).toMatchObject([
      { ok: false, isAgain: true },
      { ok: false, isAgain: true },
    ]);
  });

  it.each(['failed', 'expired', 'cancelled'])('whose batch has %s', async (end) => {
    provider.batches.end = end;
    provider.batches.reason = 'Enqueued token limit reached';
    provider.reply(...['a', 'b'].map((): Answer => ({ hang: true })));
    const { outcomes } = await ask(['a', 'b']);
    expect(outcomes.every((each) => each?.ok === false && each.isAgain)).toBe(true);
    expect(JSON.stringify(outcomes)).toContain(`${end}: Enqueued token limit reached`);
  });

  it('whose batch the provider has lost', async () => {
    const { outcomes } = await ask(['a'], { options: found('batch_7') });
    expect(outcomes).toMatchObject([{ ok: false, isAgain: true }]);
    expect(provider.batches.begun).toEqual([]);
  });
});

describe.each(['openai/gpt-5-mini', 'anthropic/claude-haiku-4-5'])(
  'what one payload has no room for (%s)',
  (model) => {
    const long = (request: { body: Record<string, unknown> }): Answer =>
      echo(request, ` ${'x'.repeat(600_000)}`);
    const said = ({ outcomes }: Awaited<ReturnType<typeof ask>>): (string | null)[] =>
      outcomes.map((each) => (each === null ? null : each.ok ? each.result.text.slice(0, 5) : each.message));

    it('is read by those who ask for the rest, each its own answer', async () => {
      provider.reply(long);
      const first = await ask(['a', 'b', 'c', 'd'], { model });
      expect(said(first)).toEqual(['re: a', 're: b', null, null]);
      const rest = await ask(['c', 'd'], { model, batch: first.batch ?? '', from: 2 });
      expect(said(rest)).toEqual(['re: c', 're: d']);
      // A call that has been given up meanwhile leaves a gap.
      expect(said(await ask(['d'], { model, batch: first.batch ?? '', from: 3 }))).toEqual(['re: d']);
      expect(provider.batches.begun).toHaveLength(1);
    });

    it('is asked for anew where an older version numbered the requests, and no longer knows which is which', async () => {
      provider.reply(long);
      const { batch } = await ask(['a', 'b', 'c', 'd'], { model });
      const [begun] = provider.batches.begun;
      begun?.customIds.forEach((_, index) => (begun.customIds[index] = String(index)));
      // All calls in their order: the numbers say whose the answers are.
      const whole = await ask(['a', 'b', 'c', 'd'], { model, options: found(batch ?? '') });
      expect(said(whole)).toEqual(['re: a', 're: b', null, null]);
      const rest = await ask(['c', 'd'], { model, batch: batch ?? '', from: 2 });
      expect(rest.outcomes).toMatchObject([
        { ok: false, isAgain: true },
        { ok: false, isAgain: true },
      ]);
    });
  },
);

it('each of its answers is counted once for its tenant, also those that are read later', async () => {
  const counted: number[] = [];
  const tenantBudgets = new TenantBudgetKeeper({
    budgets: { acme: { costUsd: 100, per: 'day' } },
    usage: {
      add: async (_tenant, { modelCalls }) => void counted.push(modelCalls),
      of: () => Promise.resolve(noTenantUsage),
    },
    hold: () => Promise.reject(new Error('nothing is used up')),
  });
  const long = 'x'.repeat(600_000);
  provider.reply((request) => echo(request, long));
  const options = { deps: { tenantBudgets } };
  const first = await ask(['a', 'b', 'c', 'd'], { options, tenant: 'acme' });
  const left = first.outcomes.filter((each) => each === null).length;
  expect(left).toBeGreaterThan(0);
  expect(counted).toEqual([4 - left]);
  await ask(['a', 'b', 'c', 'd'].slice(-left), {
    ...{ options, tenant: 'acme', from: 4 - left },
    batch: first.batch ?? '',
  });
  expect(counted).toEqual([4 - left, left]);
});

it('one that is refused fails as a call would, without the key', async () => {
  const env = { OPENAI_API_KEY: canary, OPENAI_BASE_URL: `${provider.url}/v1` };
  const refuse: typeof fetch = () =>
    Promise.resolve(Response.json({ error: { message: `billing of ${canary}` } }, { status: 403 }));
  const failure = await failureOf(ask(['a'], { options: { deps: { env, fetch: refuse } } }));
  expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: true });
  expect(failure.message).toContain('answered 403: billing of');
  expect(JSON.stringify(failure)).not.toContain(canary);
});

it('one that nobody wants any more is cancelled at the provider', async () => {
  provider.batches.isReady = () => false;
  const work = ask(['a'], {
    options: {
      onStart: (environment) => {
        void provider.arrived(4).then(() => {
          environment.cancel('CANCELLED', { cancelRequested: true } as never);
        });
      },
    },
  });
  await expect(work).rejects.toThrow(CancelledFailure);
  expect(asked()).toContain('POST batches/batch_1/cancel');
});
