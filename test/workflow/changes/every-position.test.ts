import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { comparePositions } from '../../../src/contract/checkpoints/checkpoint.js';
import { effectTypes } from '../../../src/contract/effects/effects.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { answerRequests } from '../../support/answer-requests.js';
import { expectReplays } from '../../support/histories-below.js';
import { answerByRequest } from '../../support/model-answers.js';
import { procedureSource } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { sampled } from '../../support/sampled.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

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
    activities: {
      env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` },
      filesRoot: temporaryFolder('every-position'),
    },
  });
});
afterAll(async () => {
  await worker.stop();
  await provider.close();
  await shop.close();
  await server.stop();
});

/** Each ends with a line that an edit adds to, and has a prompt or a label that an edit changes. */
const procedures: Record<string, ProcedureSource> = {
  'a conversation with a tool': procedureSource(`
    lookup = Tool { description = "Finds an order", input = { id = field.string {} },
      function(args) return http_client.get(state.shop .. "/" .. args.id).body end }
    writer = Agent { model = "openai/gpt-x", system_prompt = "You write.", tools = { lookup } }
    Procedure { input = { shop = field.string {} }, function(input)
      state.shop = input.shop
      local said = {}
      for i, order in ipairs { "A1", "B2", "C3" } do said[i] = writer("Where is order " .. order .. "?").output end
      return said
    end }`),
  'branches with agents and people': procedureSource(`
    writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }
    Procedure { input = { shop = field.string {} }, function(input)
      local all = Parallel {
        function() return writer("left").output end,
        function() return Human.approve("Right?") end,
        function() return http_client.post(input.shop .. "/paid", { body = "5" }).json.path end,
      }
      local each = Parallel.map({ "a", "b" }, function(name) return writer(name).output end)
      return { all = all, each = each }
    end }`),
  'children and their children': procedureSource(
    `Procedure { input = { shop = field.string {} }, function(input)
      local first = Procedure.run("child.tac", { n = 4, shop = input.shop })
      local handle = Procedure.spawn("child.tac", { n = 6, shop = input.shop })
      local ok = Human.approve("Go on?")
      return { first = first, second = Procedure.wait(handle), ok = ok }
    end }`,
    {
      'child.tac': `Procedure { input = { n = field.integer {}, shop = field.string {} }, function(input)
        http_client.get(input.shop .. "/child" .. input.n)
        return input.n + checkpoint(function() return 1 end)
      end }`,
    },
  ),
  'steps, files and time': procedureSource(`
    writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }
    Procedure { input = { shop = field.string {} }, function(input)
      local draft = step("draft", function() return writer("One").output end)
      File.write("draft.txt", draft)
      Sleep(0.01)
      local paid = step("pay", function() return http_client.post(input.shop .. "/pay", { body = "5" }).json.path end, { retries = 2 })
      local won = Parallel.race { function() return checkpoint(function() return "fast" end) end, function() Sleep(3600) return "slow" end }
      return { draft = File.read("draft.txt"), paid = paid, won = won, ok = Human.approve("Done?") }
    end }`),
};

const edited = (source: ProcedureSource): ProcedureSource => {
  const text = source.files['main.tac'] ?? '';
  const reworded = text
    .replace('You write.', 'You write well.')
    .replace(
      /return (said|\{[^\n]*\})\n {4}end \}$/,
      'local result = $1\n      checkpoint(function() return "edited" end)\n      return result\n    end }',
    );
  expect(reworded).not.toBe(text);
  return { ...source, files: { ...source.files, 'main.tac': reworded } };
};

async function finish(run: TactusRun): Promise<void> {
  const people = answerRequests(server.tactus, run.runId, () => true);
  await run.result();
  await people.stop();
}

/** Positions and types of the effects that a run has done, but for its child runs. */
async function done(run: TactusRun): Promise<string[]> {
  const { execution_log: entries } = await run.log();
  return entries
    .filter(({ type }) => effectTypes.has(type))
    .map(({ position, type }) => `${position} ${type}`);
}

const place = (text: string): string => text.slice(0, text.indexOf(' '));
const inOrder = (all: string[]): string[] => [...all].sort((a, b) => comparePositions(place(a), place(b)));

describe.each(Object.entries(procedures))('%s, forked at any position', (_, source) => {
  it.each([
    ['by the same source', (same: ProcedureSource) => same],
    ['by an edited one', edited],
  ])('does again what the plan says, and nothing else: %s', async (__, edit) => {
    const before = await server.tactus.start(source, { shop: shop.url });
    await finish(before);
    const { execution_log: log } = await before.log();
    const positions = sampled(
      log.map(({ position }) => position),
      3,
    );
    for (const at of positions) {
      const fork = await readFork(before, { at, source: edit(source), mayRepeat: true });
      expect(fork.plan.diverges, at).toBeNull();
      const sent = provider.requests.length + shop.requests.length;
      const run = await server.tactus.startFork(fork);
      await finish(run);
      const kept = new Set(log.slice(0, fork.plan.kept).map(({ position }) => position));
      const did = (await done(run)).filter((each) => !kept.has(place(each)));
      const again = fork.plan.again.filter(({ type }) => effectTypes.has(type));
      // The plan ends where an answer is needed that the run never had.
      const known = new Set(again.map(({ position }) => position));
      expect(inOrder(again.map(({ position, type }) => `${position} ${type}`)), at).toEqual(
        inOrder(did.filter((each) => known.has(place(each)))),
      );
      expect(
        did.filter((each) => !known.has(place(each))),
        at,
      ).toEqual([]);
      const asked = again.filter(({ type }) => ['http', 'model_call'].includes(type)).length;
      const children = again.filter(
        ({ type }) => type === 'procedure_call' || type === 'procedure_spawn',
      ).length;
      expect(provider.requests.length + shop.requests.length - sent, at).toBe(asked + children);
      await expectReplays(server.tactus, run.runId);
    }
  });
});
