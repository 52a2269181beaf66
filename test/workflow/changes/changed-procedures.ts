import { afterAll, beforeAll, expect } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { AskedAgain } from '../../../src/contract/changes/proof.js';
import { comparePositions } from '../../../src/contract/checkpoints/checkpoint.js';
import { effectTypes } from '../../../src/contract/effects/effects.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { answerByRequest } from '../../support/model-answers.js';
import { procedureSource } from '../../support/procedure-source.js';
import {
  startProviderStandIn,
  type ProviderRequest,
  type ProviderStandIn,
} from '../../support/provider-stand-in.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/** Each ends with a line that an edit adds to, and has a prompt or a label that an edit changes. */
export const procedures: Record<string, ProcedureSource> = {
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
  'a saga and what is deferred': procedureSource(`
    writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }
    Procedure { input = { shop = field.string {} }, function(input)
      defer("unlock", function() http_client.get(input.shop .. "/unlock") end)
      local plan = writer("Where to?").output
      local booked = {}
      Saga("trip", function(saga)
        saga.add_compensation("cancel the flight", function() http_client.get(input.shop .. "/no-flight") end)
        booked.flight = http_client.get(input.shop .. "/flight").json.path
        step("hotel", function()
          defer("tidy", function() checkpoint(function() return "tidy" end) end)
          booked.hotel = http_client.get(input.shop .. "/hotel").json.path
        end)
        booked.ok = Human.approve("Book?")
      end)
      return { plan = plan, booked = booked, last = writer("Goodbye").output }
    end }`),
};

/** The same with another prompt, and with one checkpoint more at its end. */
export const edited = (source: ProcedureSource): ProcedureSource => {
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

/** Positions and types of the effects that a run has recorded. */
export async function effectsOf(run: TactusRun): Promise<string[]> {
  const { execution_log: entries } = await run.log();
  return entries
    .filter(({ type }) => effectTypes.has(type))
    .map(({ position, type }) => `${position} ${type}`);
}

export const inOrder = (all: string[]): string[] =>
  [...all].sort((a, b) => comparePositions(inRow(a), inRow(b)));
/** A position in a child run comes after that of its call. */
const inRow = (text: string): string => place(text).replaceAll('/', '.');
export const place = (text: string): string => text.slice(0, text.indexOf(' '));
export const typeIn = (text: string): string => text.slice(text.indexOf(' ') + 1);
export const namesOf = (again: readonly AskedAgain[]): string[] =>
  inOrder(again.map(({ position, type }) => `${position} ${type}`));

/** What these procedures run on: a server with a worker, a provider, and a shop that they ask for things. */
export function serverWithShop() {
  const around = {} as {
    server: TestServer;
    shop: ProviderStandIn;
    provider: ProviderStandIn;
    sent: () => number;
    /** Which requests fail for good: of the provider's by an error, of the shop's without a word. */
    fails: (request: ProviderRequest) => boolean;
  };
  let worker: TestWorker;
  beforeAll(async () => {
    around.server = await startDevServer();
    around.fails = () => false;
    around.provider = await startProviderStandIn();
    around.provider.reply((request) =>
      around.fails(request)
        ? { status: 400, body: { error: { message: 'broken' } } }
        : answerByRequest(request),
    );
    around.shop = await startProviderStandIn();
    around.shop.reply((request) =>
      around.fails(request) ? { reset: true } : { json: { path: request.path } },
    );
    around.sent = () => around.provider.requests.length + around.shop.requests.length;
    worker = await startWorker(around.server, {
      activities: {
        env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${around.provider.url}/v1` },
        filesRoot: temporaryFolder('changed-procedures'),
      },
    });
  });
  afterAll(async () => {
    await worker.stop();
    await around.provider.close();
    await around.shop.close();
    await around.server.stop();
  });
  return around;
}

/** Requests that what is asked for again sends: a child run of these procedures sends one. */
export const requestsOf = (again: readonly Pick<AskedAgain, 'type'>[]): number =>
  again.filter(({ type }) => ['http', 'model_call', 'procedure_call', 'procedure_spawn'].includes(type))
    .length;
