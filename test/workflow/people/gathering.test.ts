import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { replayRun } from '../../support/replay-histories.js';
import { startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let provider: ProviderStandIn;
let worker: TestWorker;

beforeAll(async () => {
  server = await startTimeSkippingServer();
});
beforeEach(async () => {
  provider = await startProviderStandIn();
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` };
  worker = await startWorker(server, { activities: { env } });
  provider.reply({ text: '1' }, { text: '2' }, { text: '3' });
});
afterEach(async () => {
  await worker.stop();
  await provider.close();
});
afterAll(() => server.stop());

/** How many requests each batch had. */
const sizes = (): number[] => provider.batches.begun.map(({ requests }) => requests.length);

const asking = `
  echo = Agent { model = "openai/gpt-4o-mini" }
  local function say(text) return echo(text).output end`;

it('branches that come later are waited for, but not for ever', async () => {
  const run = await server.tactus.start(
    procedureOf(`${asking}
      return Parallel.map({"a", "b", "c"}, function(text)
        if text == "b" then Sleep(20) end
        if text == "c" then Human.approve{message = "Go on?", timeout = "1h", default = true} end
        return say(text)
      end, {batch = true})`),
  );
  expect(await run.result()).toEqual(['1', '2', '3']);
  expect(sizes()).toEqual([2, 1]);
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
});

it('a batch whose answers no branch wants any more is cancelled at the provider', async () => {
  provider.batches.isReady = () => false;
  const run = await server.tactus.start(
    procedureOf(`${asking}
      local ok = pcall(Parallel.map, {"a", "b", "c"}, function(text)
        if text == "c" then
          Human.approve("Go on?")
          error("enough")
        end
        return say(text)
      end, {batch = true})
      return ok`),
  );
  const [request] = await pendingOf(run);
  await server.env.sleep('31s');
  await provider.arrived(3);
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(false);
  const isTold = (): boolean => provider.requests.some(({ path }) => path.endsWith('/cancel'));
  for (let n = provider.requests.length; !isTold(); n++) await provider.arrived(n + 1);
  expect(sizes()).toEqual([2]);
});
