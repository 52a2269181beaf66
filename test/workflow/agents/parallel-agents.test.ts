import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { answerRequests } from '../../support/answer-requests.js';
import { expectReplays, historiesBelow } from '../../support/histories-below.js';
import { keptBundle } from '../../support/kept-bundle.js';
import { answerByRequest } from '../../support/model-answers.js';
import { procedureSource } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';

let server: TestServer;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
});
afterAll(async () => {
  await provider.close();
  await server.stop();
});

const workerOf = (worker: object = {}): ReturnType<typeof startWorker> =>
  startWorker(server, {
    activities: { env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` } },
    worker,
  });

const documents = 200;

it('two hundred documents are each read by themselves, over executions too', async () => {
  const worker = await workerOf();
  const source = procedureSource(`
    reader = Agent { model = "openai/gpt-x", system_prompt = "You read." }
    Procedure { function()
      reader("Be brief.")
      local list = {}
      for i = 1, ${documents} do list[i] = "document " .. i end
      local read = Parallel.map(list, function(text) return reader(text).output end, { concurrency = 20 })
      return { read[1], read[${documents}], reader("And now?").messages[2].content, #reader.messages }
    end }`);
  const run = await server.tactus.start(source, {}, { limits: { historyEvents: 200 } });
  expect(await run.result()).toEqual([
    'You said: document 1',
    `You said: document ${documents}`,
    'You said: And now?',
    4,
  ]);
  const counts = provider.requests.map(({ body }) => (body['messages'] as unknown[]).length);
  expect(counts).toEqual([2, ...Array.from({ length: documents + 1 }, () => 4)]);
  expect((await historiesBelow(server.tactus, run.runId)).length).toBeGreaterThan(2);
  await expectReplays(server.tactus, run.runId);
  await worker.stop();
});

const sharing = procedureSource(`
  writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }
  Procedure { function()
    local counts = Parallel.map({ "one", "two" }, function(word)
      writer(word)
      return #writer.messages
    end, { concurrency = 1 })
    Human.approve("Is that all?")
    return counts
  end }`);

async function ended(run: TactusRun): Promise<unknown> {
  const answers = answerRequests(server.tactus, run.runId, () => true);
  const result = await run.result();
  await answers.stop();
  return result;
}

it.each([
  ['of 0.2.0', { workflowBundle: { codePath: keptBundle('0.2.0') } }, [2, 4]],
  ['of today', {}, [2, 2]],
])('a fork of a run %s goes on with the conversations that were recorded', async (_, worker, counts) => {
  const old = await workerOf(worker);
  const before = await server.tactus.start(sharing, {});
  expect(await ended(before)).toEqual(counts);
  await old.stop();

  const asked = provider.requests.length;
  const current = await workerOf();
  const { checkpoints } = await readFork(before, { at: '1' });
  expect(checkpoints).toBeGreaterThan(4);
  expect(await ended(await server.tactus.fork(before.runId, { at: '1' }))).toEqual(counts);
  expect(provider.requests).toHaveLength(asked);
  await current.stop();
});
