import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HumanRequest } from '../../src/contract/people/human-request.js';
import { isObject } from '../../src/contract/json/json.js';
import { collectSource } from '../../src/sources/collect-source.js';
import { answerRequests } from '../support/answer-requests.js';
import type { KillAt } from '../support/child-worker.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { eachOf } from './each-of.js';
import { failedTasks } from '../support/histories.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const support = fileURLToPath(new URL('../support', import.meta.url));
const folder = fileURLToPath(new URL('procedures', import.meta.url));

/** See the sweep of all other effects: `KILL_EVERY=1` is at all boundaries, and each commit has others. */
const every = Number(process.env['KILL_EVERY'] ?? 20);
const from = Number(process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % every));
const atOnce = 5;

interface Line {
  tool: string;
  key: string;
}

let server: TestServer;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(({ body }) => {
    const messages = body['messages'] as { role: string; content: string }[];
    const ledger = /charge into (\S+)/.exec(messages.find(({ role }) => role === 'user')?.content ?? '')?.[1];
    return messages.at(-1)?.role === 'tool'
      ? { text: 'charged' }
      : { toolCalls: [{ id: 'c', name: 'charge', arguments: JSON.stringify({ ledger, cents: 2 }) }] };
  });
});
afterAll(async () => {
  await provider.close();
  await server.stop();
});

async function run(runId: string, killAt?: KillAt): Promise<SweepOutcome & { lines: Line[] }> {
  const filesRoot = temporaryFolder('tools');
  const ledger = join(filesRoot, 'ledger');
  const lines = (): Line[] =>
    existsSync(ledger)
      ? readFileSync(ledger, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Line)
      : [];
  /** A person who looks whether it was done before he says so. */
  const answer = ({ kind, context }: HumanRequest): boolean | string => {
    if (kind === 'approval') return true;
    const call = isObject(context) ? JSON.stringify(context['call']) : '';
    return lines().some(({ key }) => JSON.stringify(key).endsWith(`/${call.slice(1)}`)) ? 'done' : 'not_done';
  };
  const outcome = await sweepRun(server, {
    runId,
    source: await collectSource(folder, 'tools.tac'),
    input: { ledger },
    filesRoot,
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` },
    request: null,
    answering: async (signal) => {
      const answering = answerRequests(server.tactus, runId, answer);
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      await answering.stop();
    },
    tools: {
      module: join(support, 'ledger-tools.mjs'),
      mcpServers: {
        till: { command: process.execPath, args: [join(support, 'mcp-server.mjs'), ledger, 'none'] },
      },
      toolPolicy: { default: 'allow', rules: [{ tool: 'charge', action: 'approve' }] },
    },
    ...(killAt === undefined ? {} : { killAt }),
  });
  return { ...outcome, lines: lines() };
}

const counted = (lines: Line[], tools: string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { tool, key } of lines) if (tools.includes(tool)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

it('calls of tools are done once, or looked into, wherever the worker dies', async () => {
  const undisturbed = await run('tools-undisturbed');
  expect(undisturbed.output).toEqual({ charged: 2, paid: 1 });
  expect(undisturbed.lines.map(({ tool }) => tool)).toEqual(['look', 'charge', 'keep', 'charge', 'pay']);
  const approvals = ({ log }: SweepOutcome): number =>
    log.filter(({ type }) => type === 'hitl_approval').length;
  expect(approvals(undisturbed)).toBe(2);
  const histories: Parameters<typeof replayHistories>[0] = [];
  let killed = 0;
  let looked = 0;
  // Around each call of a tool, always, and at every which of all boundaries.
  const { stations } = undisturbed;
  const calls = stations.filter((station) => station === 'callTool');
  // Five calls, of which two are refused first: nobody has approved them yet. Each is begun, and ended.
  expect(calls).toHaveLength(14);
  const kills: KillAt[] = [
    ...calls.map((station, i) => ({ station, nth: i + 1 })),
    ...stations.map((_, i) => i * every + from).filter((i) => i <= stations.length),
  ];
  await eachOf(kills, atOnce, async (killAt) => {
    const runId = `tools-${typeof killAt === 'number' ? killAt : `call-${killAt.nth}`}`;
    const outcome = await run(runId, killAt);
    if (outcome.boundaries === null) killed++;
    expect(outcome.output, runId).toEqual(undisturbed.output);
    expect(failedTasks(outcome.histories), runId).toEqual([]);
    // Three calls that may be done once alone: each was, whatever happened.
    const once = [...counted(outcome.lines, ['charge', 'pay']).values()];
    expect(once, runId).toEqual([1, 1, 1]);
    // Those that may be repeated were so at most once, under the same key.
    const repeatable = [...counted(outcome.lines, ['look', 'keep']).values()];
    expect(repeatable.length, runId).toBe(2);
    for (const times of repeatable) expect(times, runId).toBeLessThanOrEqual(2);
    // Nobody is asked a second time for what was approved.
    expect(approvals(outcome), runId).toBe(2);
    looked += outcome.log.filter(({ type }) => type === 'hitl_select').length;
    histories.push(...outcome.histories.map((history) => ({ workflowId: runId, history })));
    return true;
  });
  expect(await replayHistories(histories)).toEqual([]);
  console.log(`tools.tac: killed at ${killed} boundaries, looked into ${looked} times`);
  expect(killed).toBeGreaterThanOrEqual(14);
  // Three calls that may be done once alone, and the two attempts that were refused: begun, and ended.
  expect(looked).toBeGreaterThanOrEqual(10);
}, 900_000);
