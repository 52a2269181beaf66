import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import { procedureSource } from '../support/procedure-source.js';
import { pytorchOr } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { serverWithProvider } from '../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/**
 * Procedures of the forms that the reference's published examples of models have, in the dialect that they are written in: an endpoint that echoes, one that
 * classifies for an agent, and a network in a file. Those of registered models are in `trained-classifiers.test.ts`.
 */

const python = await pytorchOr('published examples of models');
const around = serverWithProvider();
const folder = temporaryFolder('published-models');
let worker: TestWorker;
let models: PythonWorker | undefined;

beforeAll(async () => {
  worker = await startWorker(around.server, { activities: { env: around.env } });
  if (python === null) return;
  await mkdir(join(folder, 'examples/models'), { recursive: true });
  await python.script('make_sentiment_model.py', [join(folder, 'examples/models/sentiment.pt')]);
  models = await startPythonWorker(
    python,
    around.server,
    ['--models', folder, '--trust', '.', '--module', 'networks'],
    {
      cwd: import.meta.dirname,
    },
  );
}, 300_000);
afterAll(async () => {
  await models?.end();
  await worker.stop();
});

async function resultOf(source: string, input: JsonObject): Promise<JsonValue> {
  const run = await around.server.tactus.start(procedureSource(source), input);
  return run.result();
}

/** An agent that answers by what a model has found, as `state.mood` says. */
const answering = (model: string, predict: string, label: string): string => `
model("mood_classifier", ${model})

agent("answering_agent", {
  provider = "openai", model = "gpt-4o-mini",
  system_prompt = [[
Their mood: {state.mood}
Answer them, and call done.
]],
  tools = {"done"}
})

main = procedure("main", {
  input = { message = { type = "string", required = true } },
  output = { mood = { type = "string", required = true }, answer = { type = "string", required = true } },
  state = { mood = { type = "string", default = "unknown" } }
}, function()
  state.mood = ${predict}${label}
  Answering_agent.turn({inject = input.message})
  return { mood = state.mood, answer = Answering_agent.output }
end)`;

const done = {
  toolCalls: [{ name: 'done', arguments: '{"reason":"told them"}' }],
  text: 'So glad to hear it.',
};
const promptOf = (body: JsonObject | undefined): JsonValue =>
  (body?.['messages'] as { content: string }[] | undefined)?.[0]?.content ?? '';

describe('models as published examples declare them', () => {
  it('an endpoint is sent what is asked, and gives what it answers', async () => {
    around.provider.reply(({ body }) => ({ json: { json: body } }));
    const source = `
model("intent_classifier", { type = "http", endpoint = "${around.provider.url}/post", timeout = 10.0 })
main = procedure("main", {
  input = { text = { type = "string", required = true } },
  output = { intent = { type = "string", required = true } },
  state = {}
}, function()
  local result = Intent_classifier.predict({ text = input.text })
  return { intent = result.json and result.json.text or "unknown" }
end)`;
    expect(await resultOf(source, { text: 'Where is it?' })).toEqual({ intent: 'Where is it?' });
    expect(around.provider.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /post']);
  });

  it('an agent is told what an endpoint finds', async () => {
    around.provider.reply({ json: 'positive' }, done);
    const endpoint = `{ type = "http", endpoint = "${around.provider.url}/classify", timeout = 10.0 }`;
    const source = answering(endpoint, 'Mood_classifier.predict({ text = input.message })', '');
    expect(await resultOf(source, { message: 'It works!' })).toEqual({
      mood: 'positive',
      answer: 'So glad to hear it.',
    });
    expect(around.provider.requests[0]?.body).toEqual({ text: 'It works!' });
    expect(promptOf(around.provider.requests[1]?.body)).toContain('Their mood: positive');
  });

  it.skipIf(python === null)('an agent is told what a network finds', async () => {
    around.provider.reply(done);
    const model = `{
      type = "pytorch", path = "examples/models/sentiment.pt", device = "cpu", trusted = true,
      labels = {"negative", "neutral", "positive"}
    }`;
    const source = answering(model, 'Mood_classifier.predict({1, 2, 3, 4, 5})', '.label');
    expect(await resultOf(source, { message: 'It works!' })).toMatchObject({ mood: 'neutral' });
    expect(promptOf(around.provider.requests[0]?.body)).toContain('Their mood: neutral');
  });
});
