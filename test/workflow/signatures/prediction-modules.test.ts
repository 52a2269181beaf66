import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
let worker: TestWorker;

beforeEach(async () => {
  worker = await startWorker(around.server, { activities: { env: around.env } });
});
afterEach(() => worker.stop());

const rating = `
  LM("openai/gpt-x", { temperature = 0.3 })
  rating = Module {
    signature = "review: str -> stars: int, topics: list[str]",
    strategy = "chain_of_thought",
    retry = { attempts = 2, delay_seconds = 0.01 },
  }`;
const answer = { text: '{"reasoning": "It leaks", "stars": 1, "topics": ["kettle"]}' };

const types = async (run: TactusRun): Promise<string[]> =>
  (await run.log()).execution_log.map(({ type, status, name }) => `${type} ${name} ${status}`);

/** What doesn't fit where the run's history is replayed. */
async function replayed(run: TactusRun): Promise<string[]> {
  return replayRun(around.server.client, run);
}

it('a module is one request to its model, held to its outputs, and one prediction in the log', async () => {
  around.provider.reply(answer);
  const run = await around.server.tactus.start(
    procedureOf(`${rating}
      local before = History({ { role = "user", content = "Be brief." } })
      return rating({ review = "It leaks.", history = before })`),
  );
  expect(await run.result()).toEqual({ reasoning: 'It leaks', stars: 1, topics: ['kettle'] });
  expect(around.provider.requests).toHaveLength(1);
  const [request] = around.provider.requests;
  expect(request?.body).toMatchObject({
    model: 'gpt-x',
    temperature: 0.3,
    messages: [
      { role: 'system' },
      { role: 'user', content: 'Be brief.' },
      {
        role: 'user',
        content:
          '[[ ## review ## ]]\nIt leaks.\n\nRespond with a JSON object with the fields `reasoning`, `stars`, `topics`.',
      },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: {
        strict: true,
        schema: { properties: { stars: { type: 'integer' } }, required: ['reasoning', 'stars', 'topics'] },
      },
    },
  });
  expect(await types(run)).toEqual(['model_call rating completed', 'model_predict rating completed']);
  expect(await replayed(run)).toEqual([]);
});

it('an answer of another form is mended, and a model that is down is asked again', async () => {
  around.provider.reply(
    { status: 500, body: { error: { message: 'down' } } },
    { text: '{"reasoning": "", "stars": "many", "topics": []}' },
    answer,
  );
  const run = await around.server.tactus.start(
    procedureOf(`${rating} return rating({ review = "It leaks." }).stars`),
  );
  expect(await run.result()).toBe(1);
  expect(around.provider.requests).toHaveLength(3);
  expect(JSON.stringify(around.provider.requests[2]?.body['messages'])).toContain(
    "That answer can't be used",
  );
  expect(await replayed(run)).toEqual([]);
});

it('a budget counts what modules use', async () => {
  around.provider.reply(() => ({ ...answer, usage: { input: 90, output: 10 } }));
  const run = await around.server.tactus.start(
    procedureOf(`${rating}
      local n = 0 while pcall(rating, { review = "x" }) do n = n + 1 end return { n, Budget.left().tokens }`),
    {},
    { settings: { budget: { tokens: 250, onExhausted: 'error' } } },
  );
  expect(await run.result()).toEqual([2, 50]);
  expect(around.provider.requests).toHaveLength(2);
  expect(await replayed(run)).toEqual([]);
});

it('a run that goes on in another execution asks nothing twice', async () => {
  around.provider.reply(() => answer);
  const source = procedureOf(`${rating}
    local stars = 0
    for i = 1, 30 do stars = stars + rating({ review = "No. " .. i }).stars end
    LM("openai/gpt-y")
    return { stars, get_current_lm().model }`);
  const run = await around.server.tactus.start(source, {}, { limits: { historyEvents: 60 } });
  expect(await run.result()).toEqual([30, 'openai/gpt-y']);
  expect(around.provider.requests).toHaveLength(30);
  expect((await historiesOf(around.server.client, run.runId)).length).toBeGreaterThan(1);
  expect(await replayed(run)).toEqual([]);
});
