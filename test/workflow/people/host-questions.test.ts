import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/activities/tools/define-tool.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { A2AStandIn } from '../../support/a2a-stand-in.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const mcpServer = fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url));

let server: TestServer;
let provider: ProviderStandIn;
let agent: A2AStandIn;
let worker: TestWorker;
/** Calls of tools that were done. */
let done: string[] = [];

const input = z.object({ n: z.number() });
const tools = [
  defineTool({
    ...{ name: 'lost', description: 'Nobody knows whether it is done', input, effect: 'once' },
    execute: () => Promise.reject(new Error('connection lost')),
  }),
  defineTool({
    ...{ name: 'guarded', description: 'Needs a yes', input, effect: 'once' },
    execute: () => done.push('guarded'),
  }),
];

beforeAll(async () => {
  server = await startTimeSkippingServer();
  provider = await startProviderStandIn();
  provider.reply(() => ({ text: 'hello', usage: { input: 10, output: 10 } }));
  agent = await A2AStandIn.start();
  agent.conduct = (n, heard) =>
    n === 0
      ? { state: TaskState.TASK_STATE_INPUT_REQUIRED, says: ['Which class?', { options: ['first'] }] }
      : { state: TaskState.TASK_STATE_COMPLETED, gives: [{ heard }] };
  const folder = temporaryFolder('host-questions');
  worker = await startWorker(server, {
    activities: {
      env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` },
      tools,
      mcpServers: {
        till: {
          command: process.execPath,
          args: [mcpServer, join(folder, 'calls'), join(folder, 'look')],
          protocol: '2026-07-28',
        },
      },
      outsideAgents: { travel: { protocol: 'a2a', url: agent.url, pollMs: 200 } },
      toolPolicy: {
        default: 'allow',
        rules: [{ tool: 'host.guarded', action: 'approve', timeoutMs: 3_600_000 }],
      },
    },
  });
});
afterAll(async () => {
  await worker.stop();
  await agent.stop();
  await provider.close();
  await server.stop();
});

interface Question {
  name: string;
  /** Asks it; `act` is there. */
  call: string;
  before?: string;
  settings?: RunSettings;
  asks: string;
  /** What the call comes to where the question is taken back. */
  withdrawn: string;
}

const questions: Question[] = [
  {
    name: 'of an MCP tool',
    call: 'mcp.till.refund({ cents = 5 })',
    asks: 'mcp.till.refund asks: Why is it refunded?',
    withdrawn: 'nobody answered',
  },
  {
    name: 'of an agent outside',
    call: 'error(tostring(Tool { use = "agent.travel" }({ message = "To the sea" })))',
    asks: 'agent.travel asks: Which class?',
    withdrawn: 'a person left what the agent asked: never mind',
  },
  {
    name: 'whether a call may be done',
    call: 'Tool { use = "host.guarded" }({ n = 1 })',
    asks: 'Allow this call of host.guarded?',
    withdrawn: 'was not called: zoe took the question back: never mind',
  },
  {
    name: 'whether a call was done',
    call: 'Tool { use = "host.lost" }({ n = 1 })',
    asks: 'Nobody knows whether host.lost was done. Was it?',
    withdrawn: 'was done, and zoe took the question back: never mind: ',
  },
  {
    name: 'for more of a budget',
    before: 'writer = Agent { model = "openai/gpt-own", budget = { turns = 1 } } writer("go")',
    call: 'writer("go on")',
    asks: 'Go beyond the budget of writer? 1 of 1 turns used',
    withdrawn: '1 of 1 turns used; zoe took the question back: never mind',
  },
  {
    name: 'for more calls of models than the ceiling',
    before: 'writer = Agent { model = "openai/gpt-own" } writer("go")',
    settings: { modelCalls: 1 },
    call: 'writer("go on")',
    asks: 'Go beyond the budget of the run? 1 of 1 calls of models used',
    withdrawn: '1 of 1 calls of models used; zoe took the question back: never mind',
  },
];

async function expectReplay(run: TactusRun): Promise<void> {
  expect(await replayRun(server.client, run)).toEqual([]);
}

describe.each(questions)('a question of the host $name', (question) => {
  const { call, before = '', settings = {}, asks, withdrawn } = question;
  const start = (body: string): Promise<TactusRun> =>
    server.tactus.start(
      procedureOf(`${before}\nlocal function ask() return ${call} end\n${body}`),
      {},
      { settings },
    );
  const tried = 'local ok, what = pcall(ask) return { ok, tostring(what) }';

  it('that is taken back is no answer', async () => {
    done = [];
    const run = await start(tried);
    const [request] = await pendingOf(run, 1, 20_000);
    expect(request?.message).toBe(asks);
    const decision = { request: request?.id ?? '', value: null, action: 'withdraw' as const };
    const verdict = await server.tactus.decide({ ...decision, by: 'zoe', comment: 'never mind' });
    expect(verdict.outcome).toBe('accepted');
    expect(await run.result()).toEqual([false, expect.stringContaining(withdrawn)]);
    expect(done).toEqual([]);
    await expectReplay(run);
  });

  it('is closed where the run is cancelled', async () => {
    done = [];
    const run = await start(tried);
    const [request] = await pendingOf(run, 1, 20_000);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect((await run.status()).pending).toEqual([]);
    const late = server.tactus.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect((await late.catch(() => ({ outcome: 'late' }))).outcome).not.toBe('accepted');
    expect(done).toEqual([]);
    await expectReplay(run);
  });

  it('is closed where its branch is given up, and asked anew by the next', async () => {
    done = [];
    const run = await start(`
      pcall(Parallel, { ask, function() Human.approve("Stop?") error("enough") end })
      ${tried}`);
    const open = await pendingOf(run, 2, 20_000);
    const stop = open.find(({ message }) => message === 'Stop?');
    const first = open.find(({ message }) => message === asks);
    await run.decide({ request: stop?.id ?? '', value: true });
    const late = await run.decide({ request: first?.id ?? '', value: true, by: 'ann' });
    expect(late).toMatchObject({ outcome: 'late' });
    const [again] = await pendingOf(run, 1, 20_000);
    expect(again?.message).toBe(asks);
    expect(again?.id).not.toBe(first?.id);
    await run.decide({ request: again?.id ?? '', value: null, action: 'withdraw', by: 'zoe' });
    expect(await run.result()).toEqual([false, expect.any(String)]);
    expect(done).toEqual([]);
    await expectReplay(run);
  });
});

it('a question whose time is over is no yes', async () => {
  done = [];
  const run = await server.tactus.start(
    procedureOf(
      'local ok, what = pcall(Tool { use = "host.guarded" }, { n = 1 }) return { ok, tostring(what) }',
    ),
    {},
  );
  expect(await run.result()).toEqual([false, expect.stringContaining('nobody said yes in time')]);
  expect(done).toEqual([]);
  await expectReplay(run);
});
