import { expect, it } from 'vitest';
import type {
  ModelAttemptAuthority,
  ModelAttemptOutcome,
  ModelAttemptPlan,
  ModelAttemptReservation,
} from '../../../src/activities/models/model-attempts.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { procedureSource } from '../../support/procedure-source.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker } from '../../support/test-worker.js';

const around = serverWithProvider();

/** A host that keeps what it is told, and hands over what has succeeded before. */
class Host implements ModelAttemptAuthority {
  readonly plans: ModelAttemptPlan[] = [];
  readonly outcomes: ModelAttemptOutcome[] = [];
  refusal: string | null = null;
  /** How often it can't be reached when it is told. */
  isAway = 0;

  reserve(plan: ModelAttemptPlan): Promise<ModelAttemptReservation> {
    this.plans.push(plan);
    const reservationId = `r${this.plans.length}`;
    const known = this.outcomes.find(
      ({ plan: { callId }, result }) => callId === plan.callId && result !== null,
    );
    if (known?.result != null)
      return Promise.resolve({ status: 'replay', reservationId, result: known.result });
    if (this.refusal !== null) return Promise.resolve({ status: 'rejected', reason: this.refusal });
    return Promise.resolve({ status: 'approved', reservationId });
  }

  settle(outcome: ModelAttemptOutcome): Promise<void> {
    this.outcomes.push(outcome);
    return this.isAway-- > 0 ? Promise.reject(new Error('no line')) : Promise.resolve();
  }
}

const source = procedureSource(`
  writer = Agent { model = "openai/gpt-x", max_tokens = 50, retry = { attempts = 3, delay_seconds = 0.01 }, request_timeout = 1 }
  Procedure { function()
    local ok, said = pcall(function() return writer("Hello").output end)
    return { ok = ok, said = tostring(said) }
  end }`);

/** What the run gives, and what the host heard of it. */
async function ended(host: Host): Promise<{ output: JsonValue; heard: string[] }> {
  const worker = await startWorker(around.server, { activities: { env: around.env, modelAttempts: host } });
  try {
    const run = await around.server.tactus.start(source);
    const output = await run.result();
    return { output, heard: host.outcomes.map(({ plan, status }) => `${plan.attemptNumber} ${status}`) };
  } finally {
    await worker.stop();
  }
}

it('a host is asked before each attempt, and told what became of it', async () => {
  const host = new Host();
  around.provider.reply({ status: 500 }, { text: 'Hi', usage: { input: 9, output: 2 } });
  expect(await ended(host)).toEqual({ output: { ok: true, said: 'Hi' }, heard: ['1 failed', '2 succeeded'] });
  const [first, second] = host.plans;
  expect(first).toEqual({
    ...{ callId: expect.stringMatching(/\/0\.0$/) as unknown, attemptId: `${first?.callId}#1` },
    ...{ attemptNumber: 1, maxAttempts: 3, provider: 'openai', model: 'gpt-x' },
    ...{ inputTokens: expect.any(Number) as unknown, maxOutputTokens: 50 },
    requestHash: expect.stringMatching(/^[0-9a-f]{32,}$/) as unknown,
  });
  expect(second).toEqual({ ...first, attemptId: `${first?.callId}#2`, attemptNumber: 2 });
  expect(host.outcomes[1]).toMatchObject({
    ...{ reservationId: 'r2', error: null },
    ...{ usage: { input_tokens: 9, output_tokens: 2 }, result: { text: 'Hi' } },
  });
});

it('what it has is not asked for again, where it was told and the run was not', async () => {
  const host = new Host();
  host.isAway = 1;
  around.provider.reply({ text: 'Hi' });
  expect(await ended(host)).toEqual({
    output: { ok: true, said: 'Hi' },
    heard: ['1 succeeded', '2 replayed'],
  });
  expect(around.provider.requests).toHaveLength(1);
});

it('what it rejects is never asked for', async () => {
  const host = new Host();
  host.refusal = 'no money';
  const { output, heard } = await ended(host);
  expect(output).toEqual({
    ok: false,
    said: expect.stringContaining('the host rejects the call: no money') as unknown,
  });
  expect(heard).toEqual(['1 rejected']);
  expect(around.provider.requests).toHaveLength(0);
});

it('an attempt of which nobody knows whether it answers is not made again', async () => {
  const host = new Host();
  around.provider.reply({ hang: true });
  const { output, heard } = await ended(host);
  expect(output).toEqual({
    ok: false,
    said: expect.stringContaining('nobody knows whether it answers') as unknown,
  });
  expect(heard).toEqual(['1 outcome_unknown']);
  expect(around.provider.requests).toHaveLength(1);
});
