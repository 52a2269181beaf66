import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type Answer, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { replayHistories } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
});
beforeEach(async () => {
  provider = await startProviderStandIn();
  const { url } = provider;
  const env = {
    ...{
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: `${url}/v1`,
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: url,
    },
    OLLAMA_BASE_URL: `${url}/ollama/v1`,
  };
  worker = await startWorker(server, { activities: { env } });
  return async () => {
    await worker.stop();
    await provider.close();
  };
});
afterAll(() => server.stop());

const broken = { status: 500, body: { error: { message: 'broken' } } };
const refused = { status: 401, body: { error: { message: 'no' } } };

/** Which model each request was for. */
const asked = (): unknown[] => provider.requests.map(({ body }) => body['model']);

function replyBy(answers: Record<string, Answer>): void {
  provider.reply(({ body }) => answers[body['model'] as string] ?? broken);
}

async function run(settings: string, call = '') {
  const source = procedureOf(`
    helper = Agent { ${settings} }
    local ok, what = pcall(helper, { message = "hello", ${call} })
    return ok and what.output or tostring(what)`);
  return server.tactus.start(source);
}

const both = 'model = { "openai/gpt-x", "anthropic/claude-x" }';

/** Of a model that asks for a tool once, by an id that others don't take, and is broken then. */
const foreignIds = (id: string): Answer[] => [
  {
    toolCalls: [
      { id, name: 'look up', arguments: '{}' },
      { id: `${id}2`, name: 'lookup', arguments: '{}' },
    ],
  },
  refused,
];

describe('several models', () => {
  it.each([
    ['openai/gpt-x', 'anthropic/claude-x', 'functions.lookup:0'],
    ['openai/gpt-x', 'ollama/mistral-small', 'call_4PkgzQd8sSzuBXcoEIB7b1Kf'],
    ['anthropic/claude-x', 'ollama/devstral', 'toolu_01T1x1fJ34qAmk2tNTrN7Up6'],
    ['ollama/devstral', 'anthropic/claude-x', 'abcdefgh1'],
  ])('%s hands a conversation with calls of tools over to %s', async (first, second, id) => {
    const left = foreignIds(id);
    provider.reply(({ body }) =>
      first.endsWith(`/${body['model'] as string}`) ? (left.shift() ?? broken) : { text: 'It is late' },
    );
    const source = procedureOf(`
      lookup = Tool { description = "Looks it up", input = {}, function() return "late" end }
      helper = Agent { model = { "${first}", "${second}" }, tools = { lookup }, retry = { attempts = 1 } }
      local said = helper("Where is it?").output
      local again = helper("And now?").output
      return said .. ", " .. again`);
    const run = await server.tactus.start(source);
    expect(await run.result()).toBe('It is late, It is late');
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('late');
  });

  it('are asked one after the other, until one answers', async () => {
    replyBy({ 'claude-x': { text: 'Good day' } });
    const answered = await run(`${both}, retry = { attempts = 2, delay_seconds = 0.01 }`);
    expect(await answered.result()).toBe('Good day');
    expect(asked()).toEqual(['gpt-x', 'gpt-x', 'claude-x']);
    const { execution_log: log } = await answered.log();
    expect(log.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'model_call failed',
      'model_call completed',
      'agent_turn completed',
    ]);
    const { shown } = await answered.shown();
    expect(JSON.stringify(shown)).toContain('anthropic/claude-x is asked instead');
    const histories = await historiesOf(server.client, answered.runId);
    const named = histories.map((history) => ({ workflowId: answered.runId, history }));
    expect(await replayHistories(named)).toEqual([]);
  });

  it('wait less for each other than for none', async () => {
    replyBy({ 'claude-x': { text: 'Good day' } });
    expect(await (await run(both)).result()).toBe('Good day');
    expect(asked()).toEqual(['gpt-x', 'gpt-x', 'gpt-x', 'claude-x']);
  });

  it('are left at once where a key is refused', async () => {
    replyBy({ 'gpt-x': refused, 'claude-x': { text: 'Good day' } });
    expect(await (await run(both)).result()).toBe('Good day');
    expect(asked()).toEqual(['gpt-x', 'claude-x']);
  });

  it('fail with what the last of them says', async () => {
    replyBy({ 'gpt-x': broken, 'claude-x': refused });
    expect(await (await run(`${both}, retries = 0`)).result()).toMatch(
      /anthropic\/claude-x: answered 401: the key in ANTHROPIC_API_KEY was refused/,
    );
    expect(asked()).toEqual(['gpt-x', 'claude-x']);
  });

  it('may be named by one turn, by Agent.run and by a Model, and where there is no key', async () => {
    replyBy({ llama: { text: 'Hi' }, 'claude-x': { text: 'Good day' } });
    const list = 'model = { "google/gemini-x", "ollama/llama" }';
    expect(await (await run('model = "openai/gpt-x"', list)).result()).toBe('Hi');
    const source = procedureOf(`
      local judge = Model { type = "llm", ${list} }
      return { Agent.run { prompt = "hello", ${list} }.output, judge("hello").output.response }`);
    expect(await (await server.tactus.start(source)).result()).toEqual(['Hi', 'Hi']);
    expect(asked()).toEqual(['llama', 'llama', 'llama']);
  });

  it('one that answers is asked alone', async () => {
    replyBy({ 'gpt-x': { text: 'Hello' } });
    expect(await (await run(both)).result()).toBe('Hello');
    expect(asked()).toEqual(['gpt-x']);
  });
});

it('an agent says by which API it is asked', async () => {
  provider.reply({ text: 'Hello' });
  expect(await (await run('model = "openai/gpt-x", model_type = "responses"')).result()).toBe('Hello');
  expect(provider.requests.map(({ path }) => path)).toEqual(['/v1/responses']);
});
