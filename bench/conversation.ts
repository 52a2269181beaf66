/**
 * `npm run bench -- conversation [calls…]`: what a conversation of so many calls of a tool, each of some 2,000 tokens, puts into history
 * and how long it takes, beside the same by `@temporalio/ai-sdk`, which is installed for it. One server, one provider for both.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { TactusClient } from '../dist/client/tactus-client.js';
import { createTactusWorker, defineTool } from '../dist/worker.js';
import { openStage } from './stage.ts';

const counts = process.argv.slice(2).map(Number);
const calls = counts.length === 0 ? [10, 25, 50, 100] : counts;
const sdk = '1.23.0';
const packages = [
  ...['ai-sdk', 'worker', 'client', 'workflow', 'activity'].map((name) => `@temporalio/${name}@${sdk}`),
  ...[
    'ai@7.0.173',
    '@ai-sdk/mcp@2.0.99',
    '@ai-sdk/provider@4',
    '@ai-sdk/openai-compatible@3.0.92',
    'zod@4.6.7',
  ],
];

const page = (n: number): string => `Page ${n}: ${`word${n} `.repeat(1_250)}`;

/** A model that reads as many pages as it is told by the number in `wanted`. */
let wanted = 0;
const provider = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    const { messages } = JSON.parse(text) as { messages: { role: string }[] };
    const read = messages.filter(({ role }) => role === 'tool').length;
    const call = {
      id: `c${read}`,
      type: 'function',
      function: { name: 'read_page', arguments: JSON.stringify({ n: read }) },
    };
    const message =
      read < wanted
        ? { role: 'assistant', content: null, tool_calls: [call] }
        : { role: 'assistant', content: 'done' };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...{ id: 'x', object: 'chat.completion', created: 0, model: 'gpt-x' },
        choices: [{ index: 0, message, finish_reason: read < wanted ? 'tool_calls' : 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
}).listen(0, '127.0.0.1');
await new Promise((resolve) => provider.once('listening', resolve));
const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;

const npm = process.env['npm_execpath'];
if (npm === undefined) throw new Error('This is run by npm: npm run bench -- conversation');
const project = mkdtempSync(join(tmpdir(), 'conversation-'));
writeFileSync(join(project, 'package.json'), '{"type":"module"}');
cpSync(join(import.meta.dirname, 'ai-sdk'), project, { recursive: true });
execFileSync(process.execPath, [npm, 'install', '--ignore-scripts', '--silent', ...packages], {
  cwd: project,
});

const stage = await openStage();
const { client } = stage.env;
const theirs = spawn(process.execPath, ['worker.mjs', stage.env.address, url], {
  cwd: project,
  stdio: ['pipe', 'pipe', 'inherit'],
});
await new Promise((resolve) => theirs.stdout.once('data', resolve));
const reader = defineTool({
  name: 'read_page',
  description: 'Reads a page',
  input: z.object({ n: z.number() }),
  effect: 'pure',
  execute: ({ n }) => page(n),
});
const worker = await createTactusWorker({
  connection: stage.env.nativeConnection,
  activities: {
    env: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: url },
    filesRoot: '.',
    procedureFolders: [],
    tools: [reader],
  },
});
const running = worker.run();
const tactus = new TactusClient(client);
const source = {
  entry: 'main.tac',
  files: {
    'main.tac': `reader = Agent { model = "openai/gpt-x", tools = { "host.read_page" } }
Procedure { function() return reader("Read all pages").output end }`,
  },
};

interface Measured {
  kilobytes: number;
  seconds: number;
  ended: string;
}

async function measured(id: string, work: () => Promise<unknown>): Promise<Measured> {
  const start = performance.now();
  const ended = await work().then(
    () => 'completed',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const seconds = (performance.now() - start) / 1_000;
  const { historySize = 0 } = await client.workflow.getHandle(id).describe();
  return { kilobytes: historySize / 1_000, seconds, ended };
}

console.log(
  '| calls | characters | history here | by ai-sdk | time here | by ai-sdk |\n| --- | --- | --- | --- | --- | --- |',
);
for (const count of calls) {
  wanted = count;
  const characters = Array.from({ length: count }, (_, n) => page(n).length).reduce(
    (sum, each) => sum + each,
  );
  const here = await measured(`here-${count}`, async () => {
    const run = await tactus.start(source, {}, { runId: `here-${count}`, limits: { turnRounds: count + 1 } });
    await run.result();
  });
  const there = await measured(`there-${count}`, () =>
    client.workflow.execute('readAll', { taskQueue: 'ai-sdk', workflowId: `there-${count}`, args: [count] }),
  );
  const text = ({ kilobytes, ended }: Measured): string =>
    `${kilobytes.toFixed(0)} KB${ended === 'completed' ? '' : ` (${ended})`}`;
  console.log(
    `| ${count} | ${characters} | ${text(here)} | ${text(there)} | ${here.seconds.toFixed(1)} s | ${there.seconds.toFixed(1)} s |`,
  );
}

worker.shutdown();
await running;
theirs.stdin.end();
await new Promise((resolve) => theirs.once('exit', resolve));
provider.close();
await stage.close();
rmSync(project, { recursive: true, force: true });
