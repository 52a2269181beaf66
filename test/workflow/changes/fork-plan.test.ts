import { describe, expect, it } from 'vitest';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { comparePositions } from '../../../src/contract/checkpoints/checkpoint.js';
import { effectTypes } from '../../../src/contract/effects/effects.js';
import { answerRequests } from '../../support/answer-requests.js';
import { expectReplays } from '../../support/histories-below.js';
import { procedureSource } from '../../support/procedure-source.js';
import { sampled } from '../../support/sampled.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import {
  edited,
  effectsOf,
  inOrder,
  namesOf,
  place,
  procedures,
  requestsOf,
  serverWithShop,
  typeIn,
} from './changed-procedures.js';

const around = serverWithShop();

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

const isChild = (type: string): boolean => type === 'procedure_call';

async function finish(run: TactusRun): Promise<unknown> {
  const people = answerRequests(around.server.tactus, run.runId, () => true);
  const result = await run.result();
  await people.stop();
  return result;
}

describe('the plan of a fork says what then happens', () => {
  it('at every position: what is asked again, and what is not', async () => {
    const before = await around.server.tactus.start(order, { shop: around.shop.url });
    const result = await finish(before);
    const { execution_log: log } = await before.log();
    const types = new Set(log.map(({ type }) => type));
    for (const type of ['agent_turn', 'model_call', 'tool_call', 'step', 'parallel', 'hitl_approval', 'http'])
      expect(types).toContain(type);
    for (const { position: at } of log) {
      const sent = around.sent();
      const fork = await readFork(before, { at, mayRepeat: true });
      const run = await around.server.tactus.startFork(fork);
      expect(await finish(run)).toEqual(result);
      const kept = new Set(fork.plan.again.map(({ position }) => position));
      const done = (await effectsOf(run)).filter((each) => kept.has(place(each)) && !isChild(typeIn(each)));
      const planned = fork.plan.again.filter(({ type }) => !isChild(type));
      expect(namesOf(planned), `at ${at}`).toEqual(inOrder(done));
      const asked = fork.plan.again.filter(({ type }) => ['http', 'model_call'].includes(type));
      expect(around.sent() - sent, `requests at ${at}`).toBe(asked.length);
      const charges = fork.plan.again.filter(({ repeats, type }) => repeats && type === 'http');
      expect(charges.map(({ name }) => name)).toEqual(
        comparePositions(at, '3') < 0 ? [expect.stringContaining('POST') as unknown] : [],
      );
      await expectReplays(around.server.tactus, run.runId);
    }
  });

  it('where what came later was recorded by other executions, behind snapshots', async () => {
    const before = await around.server.tactus.start(
      procedureSource(`Procedure { input = { shop = field.string {} }, function(input)
        for i = 1, 12 do
          step("pay " .. i, function() return http_client.post(input.shop .. "/pay" .. i).body end, { whole = true })
        end
        return Human.approve("Done?")
      end }`),
      { shop: around.shop.url },
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

describe.each(Object.entries(procedures))('%s, forked at any position', (_, source) => {
  it.each([
    ['by the same source', (same: ProcedureSource) => same],
    ['by an edited one', edited],
  ])('does again what the plan says, and nothing else: %s', async (__, edit) => {
    const before = await around.server.tactus.start(source, { shop: around.shop.url });
    await finish(before);
    const { execution_log: log } = await before.log();
    const positions = sampled(
      log.map(({ position }) => position),
      3,
    );
    for (const at of positions) {
      const fork = await readFork(before, { at, source: edit(source), mayRepeat: true });
      expect(fork.plan.diverges, at).toBeNull();
      const sent = around.sent();
      const run = await around.server.tactus.startFork(fork);
      await finish(run);
      const kept = new Set(log.slice(0, fork.plan.kept).map(({ position }) => position));
      const did = (await effectsOf(run)).filter((each) => !kept.has(place(each)));
      const again = fork.plan.again.filter(({ type }) => effectTypes.has(type));
      // The plan ends where an answer is needed that the run never had.
      const known = new Set(again.map(({ position }) => position));
      expect(namesOf(again), at).toEqual(inOrder(did.filter((each) => known.has(place(each)))));
      expect(
        did.filter((each) => !known.has(place(each))),
        at,
      ).toEqual([]);
      expect(around.sent() - sent, at).toBe(requestsOf(again));
      await expectReplays(around.server.tactus, run.runId);
    }
  });
});
