/**
 * `npm run bench -- conversation [calls…]`: what a conversation of so many calls of a tool, each of some 2,000 tokens, puts into history
 * and how long it takes, beside the same by `@temporalio/ai-sdk`, which is installed for it. One server, one provider for both.
 */
import { TactusClient } from '../dist/client/tactus-client.js';
import { page } from './agents/ai-sdk/page.mjs';
import { converseProcedure } from './agents/procedures.ts';
import { openAgentsStage } from './agents/stage.ts';

const counts = process.argv.slice(2).map(Number);
const calls = counts.length === 0 ? [10, 25, 50, 100] : counts;
const words = 1_250;

const stage = await openAgentsStage();
const { client } = stage;
const tactus = new TactusClient(client);

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
  const questions = [`Read ${count} pages of ${words} words`];
  const characters = Array.from({ length: count }, (_, n) => page({ n, words }).length).reduce(
    (sum, each) => sum + each,
  );
  const here = await measured(`here-${count}`, async () => {
    const options = { runId: `here-${count}`, limits: { turnRounds: count + 1 } };
    const run = await tactus.start(converseProcedure, { questions }, options);
    await run.result();
  });
  const there = await measured(`there-${count}`, () =>
    client.workflow.execute('converse', {
      ...{ taskQueue: 'ai-sdk', workflowId: `there-${count}`, args: [questions] },
    }),
  );
  const text = ({ kilobytes, ended }: Measured): string =>
    `${kilobytes.toFixed(0)} KB${ended === 'completed' ? '' : ` (${ended})`}`;
  console.log(
    `| ${count} | ${characters} | ${text(here)} | ${text(there)} | ${here.seconds.toFixed(1)} s | ${there.seconds.toFixed(1)} s |`,
  );
}
await stage.close();
