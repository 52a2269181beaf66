import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { historiesOf } from '../../support/histories.js';
import { historiesBelow } from '../../support/histories-below.js';
import { pendingOf } from '../../support/pending-of.js';
import type { ModelAnswer, ProviderRequest } from '../../support/provider-stand-in.js';
import { referenceRun, referenceRuns } from '../../support/reference-run.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const around = serverWithProvider();
let worker: TestWorker;
let files: string;
/** Ids of runs that must replay. */
const started: string[] = [];
const loopParts = ['answer to: Part 1', 'answer to: Part 2', 'here: Part 3', 'here: Part 4'];

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'tactus-import-'));
  worker = await startWorker(around.server, { activities: { env: around.env, filesRoot: files } });
  around.provider.reply(({ body }: ProviderRequest): ModelAnswer => {
    const messages = body['messages'] as { role: string; content: string }[];
    return { text: `here: ${messages.at(-1)?.content}` };
  });
});

afterAll(async () => {
  await worker.stop();
  rmSync(files, { recursive: true });
});

async function imported(name: string): Promise<TactusRun> {
  const { record, options } = await referenceRun(name, around.provider.url);
  around.provider.requests.length = 0;
  const run = await around.server.tactus.import(record, options);
  started.push(run.runId);
  return run;
}

interface Finished {
  name: string;
  /** The request that it waits for first. */
  asks?: string | RegExp;
  answers: JsonValue[];
  output: JsonValue;
  /** Calls of models since it was imported. */
  calls?: number;
}

const finished: Finished[] = [
  { name: 'approve', asks: 'Greet Ann?', answers: [true], output: { greeting: 'Hello Ann', ok: true } },
  {
    name: 'global-agent',
    asks: 'Publish?',
    answers: [false],
    output: { text: 'here: Write it again', ok: false },
    calls: 1,
  },
  {
    name: 'local-agent',
    asks: 'Who asks?',
    answers: ['Ann'],
    output: { text: 'answer to: What is a ship?', name: 'Ann' },
  },
  {
    name: 'structured-agent',
    asks: 'Right?',
    answers: ['approve'],
    output: { title: 'Ships', score: 7, decision: 'approve' },
  },
  {
    name: 'http-model',
    asks: 'Count it?',
    answers: [true],
    output: { first: 'positive', second: 'negative', ok: true },
  },
  { name: 'mock-model', asks: 'Ship it?', answers: [true], output: { size: 'large', ok: true } },
  {
    name: 'llm-model',
    asks: 'Agree?',
    answers: [false],
    output: { said: 'answer to: Is it good?', ok: false },
  },
  {
    name: 'sub-procedure',
    asks: 'Publish answer to: Draft about ships?',
    answers: [true],
    output: { text: 'answer to: Draft about ships', ok: true },
  },
  {
    name: 'sub-procedure-of-many',
    asks: 'Publish?',
    answers: [true],
    output: { text: 'answer to: Draftbetter', title: 'answer to: Title', ok: true },
  },
  { name: 'pure-sub-procedure', asks: 'How many?', answers: ['3'], output: { n: 8, answer: '3' } },
  { name: 'waiting-inside', asks: 'Your name?', answers: ['Ann'], output: { before: 'before', name: 'Ann' } },
  {
    name: 'requests',
    asks: 'Last?',
    answers: ['end'],
    output: {
      ...{ ok: true, name: 'Ann', decision: 'approve', colour: 'blue', several: ['a', 'c'] },
      ...{ first: 'one', second: true, last: 'end' },
    },
  },
  {
    name: 'checkpoints',
    asks: /^Go on with \d+\?$/,
    answers: [true],
    output: {
      seed: expect.any(Number) as number,
      text: expect.stringMatching(/^made at \d+$/) as string,
      flag: true,
      ok: true,
    },
  },
  {
    name: 'loop',
    asks: 'Go on after 2?',
    answers: [true],
    output: {
      parts: loopParts,
      asked: true,
      count: 4,
    },
    calls: 2,
  },
  {
    name: 'branch',
    asks: 'Left it is?',
    answers: [true],
    output: { way: 'left', mark: 'left-mark', ok: true },
  },
  {
    name: 'agent-with-tool',
    asks: 'Tell them?',
    answers: [true],
    output: { said: 'answer to: sunny in Paris', ok: true, again: 'here: And now?' },
    calls: 1,
  },
  { name: 'script', asks: 'Go on?', answers: [true], output: { text: 'marked', ok: true } },
  {
    name: 'unrecorded',
    asks: 'Go on?',
    answers: [true],
    output: {
      ...{ mark: 'marked', said: 'sunny in Paris', read: 'sunny in Paris', again: 'tried' },
      ...{ after: 'after sunny in Paris', ok: true },
    },
  },
  {
    name: 'nested',
    asks: 'Go on?',
    answers: [true],
    output: { all: 'inner-ainner-bouter-c', after: 'after', ok: true },
  },
  { name: 'same-line', asks: 'Go on?', answers: [true], output: { all: 'xx', after: 'x', ok: true } },
  { name: 'file-procedure', asks: 'Take 4?', answers: [true], output: { n: 4, ok: true } },
  {
    name: 'resumed',
    asks: 'Under which name?',
    answers: ['Ann'],
    output: { first: 'answer to: Draft', second: 'answer to: Draft', ok: true, name: 'Ann' },
  },
  {
    name: 'resumed-after-many',
    asks: 'First?',
    answers: [true, false],
    output: { all: 'inner-ainner-b', after: 'after', ok: true, last: false },
  },
  {
    name: 'agent-in-checkpoint',
    asks: 'Publish?',
    answers: [true],
    output: { text: 'answer to: First / answer to: Second', third: 'answer to: Third', ok: true },
  },
  { name: 'finished', answers: [], output: { ok: true } },
  {
    name: 'begun-anew',
    asks: 'One?',
    answers: [true, true],
    output: { one: 1, ok: true, two: 2, last: true },
  },
];

describe('a run that the reference suspended', () => {
  it.each(finished)('$name is finished here', async ({ name, asks, answers, output, calls = 0 }) => {
    const run = await imported(name);
    for (const [at, value] of answers.entries()) {
      const [request] = await pendingOf(run);
      if (at === 0 && asks !== undefined) expect(request?.message).toMatch(asks);
      await run.decide({ request: request?.id ?? '', value });
    }
    expect(await run.result()).toEqual(output);
    expect(around.provider.requests).toHaveLength(calls);
  });

  it('waits for its time', async () => {
    const run = await imported('deferred');
    const view = await run.status();
    expect(view).toMatchObject({ status: 'waiting_for_time', checkpoints: 1 });
    await run.cancel();
  });

  it('goes on with the conversation that its agent had', async () => {
    const run = await imported('agent-with-tool');
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true });
    await run.result();
    expect(around.provider.requests[0]?.body['messages']).toMatchObject([
      { role: 'system', content: 'You guide.' },
      { role: 'user', content: 'What is the weather?' },
      { role: 'assistant', content: 'answer to: sunny in Paris' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('goes on in other executions, with answers that are left', async () => {
    const { record } = await referenceRun('unrecorded');
    const run = await around.server.tactus.import(record, {
      source: procedureOf(`
        local mark = checkpoint(function() return "anew" end)
        for i = 1, 12 do Sleep(0.001) end
        local after = checkpoint(function() return "anew" end)
        return { mark = mark, after = after, ok = Human.approve("Go on?") }`),
      allowsChanges: true,
      limits: { historyEvents: 20 },
    });
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toMatchObject({ mark: 'marked', after: 'after sunny in Paris', ok: true });
    expect((await historiesOf(around.server.client, run.runId)).length).toBeGreaterThan(2);
    started.push(run.runId);
  });

  it('keeps what it was imported with in a fork, and in another execution', async () => {
    const { record, options } = await referenceRun('loop', around.provider.url);
    const run = await around.server.tactus.import(record, { ...options, limits: { historyEvents: 12 } });
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true });
    const { parts } = (await run.result()) as { parts: string[] };
    expect(parts).toEqual(loopParts);
    around.provider.requests.length = 0;
    const forked = await around.server.tactus.fork(run.runId, { at: '4' });
    expect(await forked.result()).toMatchObject({ parts: loopParts });
    expect(around.provider.requests).toHaveLength(1);
    started.push(run.runId, forked.runId);
  });

  it('replays, whatever it was imported with', async () => {
    const histories = await Promise.all(started.map((id) => historiesBelow(around.server.tactus, id)));
    expect(await replayHistories(histories.flat())).toEqual([]);
  });

  it('is tried with every record that the reference has written', () => {
    const known = [...finished.map(({ name }) => name), 'deferred', 'waiting-inside-later'];
    expect(known.sort()).toEqual([...referenceRuns].sort());
  });
});
