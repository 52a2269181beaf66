import { randomUUID } from 'node:crypto';
import { TactusClient } from '../../dist/index.js';
import { askAlone } from '../agents/alone.ts';
import { askProcedure, converseProcedure } from '../agents/procedures.ts';
import type { AgentsStage } from '../agents/stage.ts';
import { inRotation, median, timed } from './compare.ts';
import type { Ways } from './ways.ts';

const fresh = (turns: number): string[] => Array.from({ length: turns }, (_, i) => `What is ${i}?`);
/** A page of so many words has 2,000 characters. */
const pages = (turns: number): string[] =>
  Array.from({ length: turns }, (_, i) => `What is ${i}? Read 1 pages of 332 words`);

/** What one more turn costs: what so many cost, less what one does, for each of the others. */
async function marginal(turns: number, cost: (turns: number) => Promise<number>): Promise<number> {
  const one = await cost(1);
  return ((await cost(turns)) - one) / (turns - 1);
}

/** Time of a turn, and what it puts into history. */
export async function measureTurns(stage: AgentsStage, turns: number, rounds: number): Promise<Ways[]> {
  const { client, baseURL } = stage;
  const tactus = new TactusClient(client);
  const alone = (questions: string[]): Promise<void> => askAlone(baseURL, questions);
  const here = async (questions: string[], source = askProcedure): Promise<string> => {
    const run = await tactus.start(source, { questions });
    await run.result();
    return run.runId;
  };
  const aiSdk = async (questions: string[], workflow = 'ask'): Promise<string> => {
    const workflowId = randomUUID();
    await client.workflow.execute(workflow, { taskQueue: 'ai-sdk', workflowId, args: [questions] });
    return workflowId;
  };
  const bytes = async (id: string): Promise<number> =>
    (await client.workflow.getHandle(id).describe()).historySize ?? NaN;
  for (const ask of [alone, here, aiSdk]) await ask(fresh(3)); // warm up

  const timeOf = (ask: (questions: string[]) => Promise<unknown>) => () =>
    marginal(turns, (count) => timed(() => ask(fresh(count))));
  const times = await inRotation(rounds, {
    ...{ alone: timeOf(alone), here: timeOf(here), aiSdk: timeOf(aiSdk) },
  });
  return [
    {
      ...{ what: 'a turn', unit: 'ms' },
      ...{ alone: median(times.alone), here: median(times.here), aiSdk: median(times.aiSdk) },
    },
    {
      ...{ what: 'history of a turn', unit: 'bytes', alone: null },
      here: await marginal(turns, async (count) => bytes(await here(fresh(count)))),
      aiSdk: await marginal(turns, async (count) => bytes(await aiSdk(fresh(count)))),
    },
    {
      what: `history of a turn with a tool's 2,000 characters, in a conversation of ${turns}`,
      ...{ unit: 'bytes', alone: null },
      here: await marginal(turns, async (count) => bytes(await here(pages(count), converseProcedure))),
      aiSdk: await marginal(turns, async (count) => bytes(await aiSdk(pages(count), 'converse'))),
    },
  ];
}
