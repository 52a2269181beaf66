import { describe, expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/index.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { callDigest, type ToolPolicy, type ToolRule } from '../../../src/contract/tools/tool-policy.js';
import { startChildWorker } from '../../support/child-worker.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker } from '../../support/test-worker.js';

const around = serverWithProvider();

const env = (): Record<string, string> => ({
  ...around.env,
  ...{ ANTHROPIC_API_KEY: 'key', GOOGLE_API_KEY: 'key' },
  GOOGLE_BASE_URL: `${around.provider.url}/google/v1`,
  ANTHROPIC_BASE_URL: `${around.provider.url}/anthropic/v1`,
});

const search = 'search = Tool { provider = "openai.web_search", args = { search_context_size = "low" } }';
const reader =
  'local reader = Agent { model = "openai/gpt-5", model_type = "responses", tools = { search } }';
const searches = [{ query: 'tea', url: 'https://tea.example/' }];
const source = 'provider.openai.web_search';
const args = { search_context_size: 'low' };

function policy(...rules: ToolRule[]): ToolPolicy {
  return { default: 'allow', rules };
}

const toolsSent = (): (JsonValue | undefined)[] => around.provider.requests.map(({ body }) => body['tools']);

interface Asked {
  deps?: Partial<ActivityDeps>;
  toolPolicy?: ToolPolicy;
  /** What people do while the run waits. */
  meanwhile?: (run: TactusRun) => Promise<void>;
}

/** What a run gives, with what it says of itself; it replays. */
async function ended(body: string, { deps = {}, toolPolicy, meanwhile }: Asked = {}) {
  const worker = await startWorker(around.server, { activities: { env: env(), ...deps } });
  try {
    const settings = toolPolicy === undefined ? {} : { settings: { toolPolicy } };
    const run = await around.server.tactus.start(procedureOf(body), {}, settings);
    await meanwhile?.(run);
    const output = await run.result();
    const { execution_log: log } = await run.log();
    const { shown } = await run.shown();
    const histories = await historiesOf(around.server.client, run.runId);
    const replayed = histories.map((history) => ({ workflowId: run.runId, history }));
    expect(await replayHistories(replayed)).toEqual([]);
    return {
      output,
      log: log.map(({ position, type }) => `${position} ${type}`),
      told: shown.flatMap((each) => (each.kind === 'log' ? [each.message] : [])),
      activities: histories
        .flatMap(({ events }) => events ?? [])
        .flatMap(({ activityTaskScheduledEventAttributes: asked }) => asked?.activityType?.name ?? []),
    };
  } finally {
    await worker.stop();
  }
}

const found =
  'local found = reader("tea?") return { found.text, found.sources or {}, found.provider_calls or {} }';

describe.each([
  {
    of: 'openai',
    declared: `${search} ${reader}`,
    sent: { type: 'web_search', search_context_size: 'low' },
    with: { type: 'search', query: 'tea' },
    // Of what it looked at, and didn't only cite, OpenAI tells no titles.
    page: { url: 'https://tea.example/' } as object,
  },
  {
    of: 'anthropic',
    declared: `search = Tool { provider = "anthropic.web_search", args = { max_uses = 2 } }
      local reader = Agent { model = "anthropic/claude-opus-4-5", tools = { search } }`,
    sent: { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    with: { query: 'tea' },
    page: { url: 'https://tea.example/', title: 'About tea' },
  },
])('a tool that $of runs', ({ declared, sent, with: called, page }) => {
  it('goes out once, and what it found is a part of the answer', async () => {
    around.provider.reply({ text: 'Tea is hot.', searches });
    const { output, log, activities } = await ended(`${declared} ${found}`);
    expect(output).toEqual(['Tea is hot.', [page], [{ name: 'search', arguments: called }]]);
    expect(toolsSent()).toEqual([[sent]]);
    expect(activities).toEqual(['modelCall']);
    expect(log).toEqual(['0.0 model_call', '0 agent_turn']);
  });

  it('stands beside tools of the file, which alone are called by the run', async () => {
    const add = 'local add = Tool { name = "add", description = "Adds", function(args) return 5 end }';
    around.provider.reply(
      { text: 'Let me see.', searches, toolCalls: [{ name: 'add', arguments: '{}' }] },
      { text: 'Five.', searches: [{ query: 'five', url: 'https://five.example/' }] },
    );
    const { output, log } = await ended(
      `${declared} ${add}
      local found = reader({ message = "tea?", tools = { search, add } })
      return { found.text, #found.sources, #found.provider_calls, add.call_count(), search.call_count() }`,
    );
    expect(output).toEqual(['Five.', 2, 2, 1, 0]);
    expect(toolsSent()).toMatchObject([{ length: 2 }, { length: 2 }]);
    expect(log.filter((each) => each.includes('tool'))).toEqual(['0.1 tool_call']);
  });
});

it('each of several models is given what its own provider runs', async () => {
  around.provider.reply({ status: 400 }, { text: 'Tea.', searches });
  const { output } = await ended(`
    first = Tool { provider = "google.google_search" }
    second = Tool { provider = "anthropic.web_search" }
    local reader = Agent { model = { "gemini/gemini-3-pro", "claude-opus-4-5" }, tools = { first, second } }
    return reader("tea?").provider_calls[1].name`);
  expect(output).toBe('second');
  expect(toolsSent()).toMatchObject([[{ googleSearch: {} }], [{ type: 'web_search_20250305' }]]);
});

describe('what can not be is said before anything is sent', () => {
  it.each([
    [
      'a model of another provider',
      'claude-opus-4-5',
      '',
      'openai runs provider.openai.web_search for its own models',
    ],
    ['the other API', 'openai/gpt-5', '', 'needs model_type = "responses"'],
    ['args of the wrong type', 'openai/gpt-5', 'huge', 'takes no such args of search: search_context_size'],
  ])('%s', async (_, model, size, message) => {
    const args = size === '' ? '' : `, args = { search_context_size = "${size}" }`;
    const api = size === '' ? '' : ', model_type = "responses"';
    const { output } = await ended(`
      local search = Tool { name = "search", provider = "openai.web_search"${args} }
      local reader = Agent { model = "${model}"${api}, tools = { search } }
      local ok, problem = pcall(reader, "tea?")
      return tostring(problem)`);
    expect(output).toContain(message);
    expect(around.provider.requests).toEqual([]);
  });

  it('a call by the procedure', async () => {
    const { output } = await ended(`${search} local ok, problem = pcall(search) return tostring(problem)`);
    expect(output).toContain('openai runs it itself, in turns of agents that have it');
  });
});

describe('a policy', () => {
  const forbids: ToolRule = { tool: 'provider.openai.*', action: 'deny' };

  it.each([
    ['the run', { toolPolicy: policy(forbids) }, 'search was not given to the model: the policy forbids it'],
    [
      'the worker alone',
      { deps: { toolPolicy: policy(forbids) } },
      "search was not given to the model: the worker's policy forbids provider.openai.web_search",
    ],
    [
      'the worker, which wants a yes that nobody was asked for',
      { deps: { toolPolicy: policy({ ...forbids, action: 'approve' }) } },
      'search was not given to the model: the approval of provider.openai.web_search is missing',
    ],
  ])('of %s that forbids it has it withheld, and the log says so', async (_, asked, message) => {
    around.provider.reply({ text: 'I do not know.' });
    const { output, told, activities } = await ended(`${search} ${reader} return reader("tea?").text`, asked);
    expect(output).toBe('I do not know.');
    expect(toolsSent()).toEqual([undefined]);
    expect(told).toEqual([expect.stringContaining(message)]);
    expect(activities).toEqual(['modelCall']);
  });

  const twice = `${search} ${reader} reader("tea?") return reader("more?").text`;

  it('asks a person once for all turns, and the worker takes that yes', async () => {
    const toolPolicy = policy({ tool: 'openai_web_search', action: 'approve', remember: 'tool' });
    around.provider.reply({ text: 'Tea.', searches }, { text: 'More.' });
    const { output, told } = await ended(twice, {
      ...{ toolPolicy, deps: { toolPolicy } },
      async meanwhile(run) {
        const [request] = await pendingOf(run);
        expect(request).toMatchObject({
          message: 'Allow provider.openai.web_search in this turn, and all later ones in this run?',
          context: { tool: source, arguments: args },
        });
        expect(around.provider.requests).toEqual([]);
        await run.decide({ request: request?.id ?? '', value: true, by: 'ann' });
      },
    });
    expect(output).toBe('More.');
    expect(told).toEqual([]);
    expect(toolsSent()).toMatchObject([[{ type: 'web_search' }], [{ type: 'web_search' }]]);
  });

  it('is answered for exactly this tool and these args', async () => {
    around.provider.reply({ text: 'Tea.' });
    const worker = await startWorker(around.server, { activities: { env: env() } });
    const run = await around.server.tactus.start(
      procedureOf(`${search.replace(' }', ' }, approval = true')} ${reader} return reader("tea?").text`),
    );
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect(await run.result()).toBe('Tea.');
    const [history] = await historiesOf(around.server.client, run.runId);
    await worker.stop();
    const text = Buffer.from(
      (history?.events ?? [])
        .map(({ activityTaskScheduledEventAttributes: asked }) => asked?.input?.payloads?.[0]?.data)
        .find((data) => data != null) ?? [],
    ).toString();
    expect(JSON.parse(text)).toMatchObject({
      call: {
        providerTools: [
          { name: 'search', source, args, approval: { by: 'ann', digest: callDigest(source, args) } },
        ],
      },
    });
  });

  it('that a person says no to has it withheld', async () => {
    around.provider.reply({ text: 'No idea.' });
    const { output, told } = await ended(`${search} ${reader} return reader("tea?").text`, {
      toolPolicy: policy({ tool: source, action: 'approve' }),
      async meanwhile(run) {
        const [request] = await pendingOf(run);
        await run.decide({ request: request?.id ?? '', value: false, by: 'ann', comment: 'not today' });
      },
    });
    expect(output).toBe('No idea.');
    expect(told).toEqual([
      expect.stringContaining('search was not given to the model: ann said no: not today'),
    ]);
    expect(toolsSent()).toEqual([undefined]);
  });
});

it('a worker that is killed with the answer is as with any call of a model: it is asked once more, by the same key', async () => {
  const taskQueue = 'killed-with-sources';
  around.provider.reply({ text: 'Tea.', searches }, { text: 'Tea.', searches });
  const first = await startChildWorker({
    ...{ address: around.server.env.address, taskQueue, filesRoot: '/nonexistent', env: env() },
    killAt: { station: 'modelCall', nth: 2 },
  });
  const tactus = new TactusClient(around.server.client, { taskQueue });
  const run = await tactus.start(
    procedureOf(`${search} ${reader} ${found}`),
    {},
    { limits: { heartbeatMs: 1_000 } },
  );
  expect(await first.ended).toBe('SIGKILL');
  const last = await startWorker(around.server, { taskQueue, activities: { env: env() } });
  expect(await run.result()).toMatchObject(['Tea.', [{ url: 'https://tea.example/' }], [{ name: 'search' }]]);
  await last.stop();
  expect(toolsSent()).toMatchObject([[{ type: 'web_search' }], [{ type: 'web_search' }]]);
  const keys = around.provider.requests.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(1);
});
