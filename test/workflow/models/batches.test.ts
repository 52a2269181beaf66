import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { startChildWorker, type KillAt } from '../../support/child-worker.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import type { Answer, ProviderRequest } from '../../support/provider-stand-in.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { waitUntil } from '../../support/wait-until.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
/** A dead worker is noticed after this time, in ms. */
const heartbeatMs = 1_000;
let queue = '';
let worker: TestWorker | null = null;

beforeEach(({ task }) => {
  queue = task.id;
  const { batches } = around.provider;
  batches.begun.length = 0;
  batches.isReady = () => true;
  batches.end = 'completed';
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
});

async function serve(): Promise<void> {
  const env = {
    ...around.env,
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: `${around.provider.url}/anthropic/v1`,
  };
  worker = await startWorker(around.server, { taskQueue: queue, activities: { env } });
}

function start(body: string): Promise<TactusRun> {
  const tactus = new TactusClient(around.server.client, { taskQueue: queue });
  return tactus.start(procedureOf(body), {}, { limits: { heartbeatMs } });
}

const asking = (model = 'openai/gpt-4o-mini') => `
  echo = Agent { model = "${model}", system_prompt = "Say it again" }
  local function say(text) return echo(text).output end`;

/** What a request asked last. */
function askedOf({ body }: ProviderRequest): string {
  const messages = body['messages'] as { content: unknown }[];
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : ((content as { text: string }[])[0]?.text ?? '');
}

/** Says again what it was asked last. */
function echoed(request: ProviderRequest): Answer {
  return { text: `re: ${askedOf(request)}` };
}

/** How many requests each batch had. */
const sizes = (): number[] => around.provider.batches.begun.map(({ requests }) => requests.length);

/** Requests to models that came by themselves. */
const alone = (): number =>
  around.provider.requests.filter(({ path }) => /(completions|messages)$/.test(path)).length;

async function activities(run: TactusRun): Promise<string[]> {
  const histories = await historiesOf(around.server.client, run.runId);
  expect(await replayRun(around.server.client, run)).toEqual([]);
  const events = histories.flatMap(({ events: all }) => all ?? []);
  return events
    .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name)
    .filter((name): name is string => typeof name === 'string');
}

describe.each(['openai/gpt-4o-mini', 'anthropic/claude-haiku-4-5'])(
  'Parallel.map with batch = true asks %s',
  (model) => {
    it('for all answers at once, in one activity', async () => {
      around.provider.reply(echoed);
      await serve();
      const run = await start(`${asking(model)}
      return Parallel.map({"a", "b", "c"}, say, {batch = true})`);
      expect(await run.result()).toEqual(['re: a', 're: b', 're: c']);
      expect(sizes()).toEqual([3]);
      expect(alone()).toBe(0);
      expect(await activities(run)).toEqual(['modelBatch']);
      const { usage } = await run.status();
      expect(usage).toMatchObject({ input_tokens: 30, output_tokens: 15 });
      const calls = (await run.log()).execution_log.filter(({ type }) => type === 'model_call');
      expect(calls).toHaveLength(3);
    });

    it('and hands each call its own answer, though they need several payloads', async () => {
      around.provider.reply((request) => {
        const letter = askedOf(request);
        return { text: `re: ${letter} ${letter.repeat(450_000)}` };
      });
      await serve();
      const run = await start(`${asking(model)}
      return Parallel.map({"a", "b", "c", "d", "e", "f", "g"}, function(letter)
        local said = say(letter)
        return letter .. " " .. said:sub(1, 5) .. " " .. said:sub(-1)
      end, {batch = true})`);
      const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
      expect(await run.result()).toEqual(letters.map((letter) => `${letter} re: ${letter} ${letter}`));
      expect(sizes()).toEqual([7]);
      expect(alone()).toBe(0);
      expect(await activities(run)).toEqual(['modelBatch', 'modelBatch', 'modelBatch']);
    });
  },
);

it('models of several kinds have a batch each, and each round of a turn has its own', async () => {
  around.provider.reply((request) => {
    const messages = request.body['messages'] as { role: string; content: string }[];
    const isFirst = messages.at(-1)?.role === 'user' && request.body['model'] === 'one';
    return isFirst
      ? { toolCalls: [{ name: 'double', arguments: '{"n": 4}' }] }
      : { text: request.body['model'] as string };
  });
  await serve();
  const run = await start(`
    double = Tool { description = "Doubles", input = { n = field.number{required = true} }, function(args) return args.n * 2 end }
    one = Agent { model = "openai/one", tools = { double } }
    two = Agent { model = "openai/two" }
    return Parallel.map({1, 2, 3, 4}, function(n)
      return (n % 2 == 0 and two or one)("Go").output
    end, {batch = true})`);
  expect(await run.result()).toEqual(['one', 'two', 'one', 'two']);
  expect(sizes()).toEqual([2, 2, 2]);
  expect(alone()).toBe(0);
});

it('without batch = true, and outside of the branches, models are asked by themselves', async () => {
  around.provider.reply(echoed);
  await serve();
  const run = await start(`${asking()}
    local first = Parallel.map({"a", "b"}, say)
    local second = Parallel.map({"c"}, say, {batch = true})
    return {first[1], first[2], second[1], say("d")}`);
  expect(await run.result()).toEqual(['re: a', 're: b', 're: c', 're: d']);
  expect(sizes()).toEqual([1]);
  expect(alone()).toBe(3);
});

it('a budget of time, which has less than a day, has models asked at once', async () => {
  around.provider.reply(echoed);
  await serve();
  const run = await start(`${asking()}
    return Parallel.map({"a", "b"}, say, {batch = true, budget = {time = "10m"}})`);
  expect(await run.result()).toEqual(['re: a', 're: b']);
  expect(sizes()).toEqual([]);
  expect(alone()).toBe(2);
});

it('what the batch has no answer to is asked by itself, and what is hopeless fails alone', async () => {
  around.provider.reply(
    { text: 'fine' },
    { status: 429, body: { error: { message: 'too many' } } },
    { status: 400, body: { error: { message: 'no such thing', type: 'invalid_request_error' } } },
    { hang: true },
    (request) => echoed(request),
  );
  await serve();
  const run = await start(`${asking()}
    return Parallel.map({"a", "b", "c", "d"}, function(text)
      local ok, said = pcall(say, text)
      return ok and said or tostring(said)
    end, {batch = true})`);
  expect(await run.result()).toEqual(['fine', 're: b', expect.stringContaining('no such thing'), 're: d']);
  expect(sizes()).toEqual([4]);
  expect(alone()).toBe(2);
  expect(await activities(run)).toEqual(['modelBatch', 'modelCall', 'modelCall']);
});

it('what was paid for in a batch, and was of no use, is counted', async () => {
  around.provider.reply({ text: '', finishReason: 'length' }, { text: 'fine' });
  await serve();
  const run = await start(`${asking()}
    return Parallel.map({"a", "b"}, function(text) return (pcall(say, text)) end, {batch = true})`);
  expect(await run.result()).toEqual([false, true]);
  expect((await run.status()).usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
});

it('what was paid for in a batch for a branch that is gone is counted', async () => {
  around.provider.reply(echoed);
  let isReady = false;
  around.provider.batches.isReady = () => isReady;
  await serve();
  const run = await start(`${asking()}
    local function one(text) return Parallel.map({text}, say, {batch = true}) end
    Parallel {
      function() return one("a") end,
      function()
        pcall(Parallel, {
          function() return one("b") end,
          function() Event.wait("stop") error("no") end,
        })
      end,
    }`);
  await waitUntil(() => Promise.resolve(around.provider.batches.begun.length > 0));
  await run.send('stop', true);
  await waitUntil(async () => !(await run.status()).waits.some(({ kind }) => kind === 'event'));
  isReady = true;
  await run.result();
  expect(sizes()).toEqual([2]);
  expect((await run.status()).usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
});

it('more than a message has room for goes out in parts', async () => {
  around.provider.reply(echoed);
  await serve();
  const run = await start(`${asking()}
    local found = Parallel.map({"a", "b", "c", "d"}, function(text)
      return say(text .. string.rep("x", 420000))
    end, {batch = true})
    local lengths = {}
    for i, said in ipairs(found) do lengths[i] = said:sub(1, 5) .. #said end
    return lengths`);
  expect(await run.result()).toEqual(['a', 'b', 'c', 'd'].map((each) => `re: ${each}420005`));
  expect(sizes()).toEqual([3, 1]);
  await activities(run);
});

describe('a batch is bought once', () => {
  const child = (killAt?: KillAt) =>
    startChildWorker({
      ...{ address: around.server.env.address, taskQueue: queue, filesRoot: '/nonexistent', env: around.env },
      ...(killAt === undefined ? {} : { killAt }),
    });
  const body = `${asking()} return Parallel.map({"a", "b"}, say, {batch = true})`;

  it('though the worker that waits for it is killed', async () => {
    let isReady = false;
    around.provider.batches.isReady = () => isReady;
    around.provider.reply(echoed);
    const first = await child();
    const run = await start(body);
    // The file, the batch, and a look at it.
    await around.provider.arrived(3);
    await first.kill();
    isReady = true;
    await serve();
    expect(await run.result()).toEqual(['re: a', 're: b']);
    expect(sizes()).toEqual([2]);
  });

  it('though the worker that has its answers is killed before the run has them', async () => {
    around.provider.reply(echoed);
    const first = await child({ station: 'modelBatch', nth: 2 });
    const run = await start(body);
    expect(await first.ended).toBe('SIGKILL');
    await serve();
    expect(await run.result()).toEqual(['re: a', 're: b']);
    expect(sizes()).toEqual([2]);
  });
});

it.each(['cancel', 'terminate'] as const)('the provider is told where the run is to %s', async (how) => {
  around.provider.batches.isReady = () => false;
  await serve();
  const run = await start(`${asking()} return Parallel.map({"a", "b"}, say, {batch = true})`);
  await around.provider.arrived(3);
  await (how === 'cancel' ? run.cancel() : run.handle.terminate());
  await expect(run.result()).rejects.toThrow();
  const isTold = (): boolean => around.provider.requests.some(({ path }) => path.endsWith('/cancel'));
  for (let n = around.provider.requests.length; !isTold(); n++) await around.provider.arrived(n + 1);
});

it('Classify takes a list of texts, in a batch where that is asked for', async () => {
  const classified = ({ body }: ProviderRequest): Answer => {
    const messages = body['messages'] as { content: string }[];
    return {
      text: JSON.stringify({ value: messages.at(-1)?.content.includes('good') ? 'praise' : 'complaint' }),
    };
  };
  around.provider.reply(classified);
  await serve();
  const run = await start(`
    local function sorted(batch)
      local classify = Classify { classes = {"praise", "complaint"}, prompt = "What is it?", model = "openai/gpt-4o-mini", batch = batch }
      local values = {}
      for i, found in ipairs(classify({"good tea", "cold tea", "good cup"})) do values[i] = found.value end
      values[4] = classify("cold cup").value
      return values
    end
    return {sorted(true), sorted(nil)}`);
  const expected = ['praise', 'complaint', 'praise', 'complaint'];
  expect(await run.result()).toEqual([expected, expected]);
  expect(sizes()).toEqual([3, 1]);
  expect(alone()).toBe(4);
});

it('what batch must be is said where it is something else', async () => {
  await serve();
  const run = await start(`${asking()} return Parallel.map({"a"}, say, {batch = "yes"})`);
  await expect(run.result()).rejects.toThrow('batch must be true or false');
});
