import { join } from 'node:path';
import { TactusClient } from '../../dist/index.js';
import { startChild } from '../agents/child.ts';
import { converseProcedure } from '../agents/procedures.ts';
import type { Stage } from '../stage.ts';
import { median, timed } from './compare.ts';
import type { Growth, Sizes } from './growth.ts';

/** A page of so many words has 2,000 characters. */
const words = 332;
const rounds = 3;

/** A conversation of few calls of a tool and one of many, over HTTP; the provider and the worker are processes of their own. */
export async function measureLongConversation({ env }: Stage, [few, many]: Sizes): Promise<Growth[]> {
  const agents = join(import.meta.dirname, '..', 'agents');
  const provider = startChild(join(agents, 'provider.ts'), []);
  const worker = startChild(join(agents, 'worker.ts'), [env.address, `${await provider.line()}/v1`]);
  await worker.line();
  const tactus = new TactusClient(env.client);
  const cost = async (calls: number): Promise<number> => {
    const questions = [`Read ${calls} pages of ${words} words`];
    const limits = { turnRounds: calls + 1 };
    const work = async () => (await tactus.start(converseProcedure, { questions }, { limits })).result();
    return (await timed(work)) / calls;
  };
  try {
    await cost(few); // warm up
    const small: number[] = [];
    for (let round = 0; round < rounds; round++) small.push(await cost(few));
    return [
      {
        ...{ what: 'a conversation, a call of a tool and of the model', unit: 'ms' },
        ...{ small: median(small), large: await cost(many) },
      },
    ];
  } finally {
    await worker.close();
    await provider.close();
  }
}
