import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { AskedAgain } from '../../../src/contract/changes/proof.js';
import { comparePositions } from '../../../src/contract/checkpoints/checkpoint.js';
import { effectTypes } from '../../../src/contract/effects/effects.js';
import { answerRequests } from '../../support/answer-requests.js';
import { expectReplays } from '../../support/histories-below.js';
import { answerByRequest } from '../../support/model-answers.js';
import { procedureSource } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let provider: ProviderStandIn;
let shop: ProviderStandIn;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
  shop = await startProviderStandIn();
  shop.reply(({ path }) => ({ json: { path } }));
  worker = await startWorker(server, {
    activities: { env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` } },
  });
});

afterAll(async () => {
  await worker.stop();
  await provider.close();
  await shop.close();
  await server.stop();
});

const order = procedureSource(
  `writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }
  lookup = Tool {
    description = "Looks up", input = { q = field.string {} },
    function(args) return http_client.get(state.shop .. "/" .. args.q).body end,
  }
  Procedure { input = { shop = field.string {} }, function(input)
    state.shop = input.shop
    local first = writer("One").output
    lookup { q = "stock" }
    step("charge", function() http_client.post(input.shop .. "/charge", { body = "5" }) end)
    Parallel { function() http_client.get(input.shop .. "/left") end, function() http_client.get(input.shop .. "/right") end }
    local ok = Human.approve("Go on?")
    local child = Procedure.run("child.tac", { n = 4 })
    local second = writer("Two").output
    return { first = first, second = second, ok = ok, child = child }
  end }`,
  {
    'child.tac': 'Procedure { input = { n = field.integer {} }, function(input) return input.n + 1 end }',
  },
);

/** Positions and types of the effects that a run has recorded. */
async function effectsOf(run: TactusRun): Promise<string[]> {
  const { execution_log: entries } = await run.log();
  return entries
    .filter(({ type }) => effectTypes.has(type) && type !== 'procedure_call')
    .map(({ position, type }) => `${position} ${type}`);
}

async function finish(run: TactusRun): Promise<unknown> {
  const people = answerRequests(server.tactus, run.runId, () => true);
  const result = await run.result();
  await people.stop();
  return result;
}

const inOrder = (all: string[]): string[] => [...all].sort((a, b) => comparePositions(place(a), place(b)));
const place = (text: string): string => text.slice(0, text.indexOf(' '));
const named = (again: readonly AskedAgain[]): string[] =>
  inOrder(
    again.filter(({ type }) => type !== 'procedure_call').map(({ position, type }) => `${position} ${type}`),
  );

describe('the plan of a fork says what then happens', () => {
  it('at every position: what is asked again, and what is not', async () => {
    const before = await server.tactus.start(order, { shop: shop.url });
    const result = await finish(before);
    const { execution_log: log } = await before.log();
    const types = new Set(log.map(({ type }) => type));
    for (const type of ['agent_turn', 'model_call', 'tool_call', 'step', 'parallel', 'hitl_approval', 'http'])
      expect(types).toContain(type);
    for (const { position: at } of log) {
      const sent = provider.requests.length + shop.requests.length;
      const fork = await readFork(before, { at, mayRepeat: true });
      const run = await server.tactus.startFork(fork);
      expect(await finish(run)).toEqual(result);
      const kept = new Set(fork.plan.again.map(({ position }) => position));
      const done = (await effectsOf(run)).filter((each) => kept.has(place(each)));
      expect(named(fork.plan.again), `at ${at}`).toEqual(inOrder(done));
      const asked = fork.plan.again.filter(({ type }) => ['http', 'model_call'].includes(type));
      expect(provider.requests.length + shop.requests.length - sent, `requests at ${at}`).toBe(asked.length);
      const charges = fork.plan.again.filter(({ repeats, type }) => repeats && type === 'http');
      expect(charges.map(({ name }) => name)).toEqual(
        comparePositions(at, '3') < 0 ? [expect.stringContaining('POST') as unknown] : [],
      );
      await expectReplays(server.tactus, run.runId);
    }
  });

  it('where what came later was recorded by other executions, behind snapshots', async () => {
    const before = await server.tactus.start(
      procedureSource(`Procedure { input = { shop = field.string {} }, function(input)
        for i = 1, 12 do
          step("pay " .. i, function() return http_client.post(input.shop .. "/pay" .. i).body end, { whole = true })
        end
        return Human.approve("Done?")
      end }`),
      { shop: shop.url },
      { limits: { historyEvents: 30 } },
    );
    expect(await finish(before)).toBe(true);
    const { plan } = await readFork(before, { at: '1', dryRun: true });
    expect(plan.kept).toBe(2);
    expect(plan.again.filter(({ repeats }) => repeats)).toHaveLength(11);
    expect(plan.again.at(-1)).toMatchObject({ position: '12', type: 'hitl_approval' });
    await expect(readFork(before, { at: '1' })).rejects.toMatchObject({ code: 'change_refused' });
  });
});
