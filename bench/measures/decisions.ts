import { setTimeout as delay } from 'node:timers/promises';
import type { AgentsStage } from '../agents/stage.ts';
import { writeByAiSdk, writeHere, type Writing } from '../agents/writing.ts';
import { median } from './compare.ts';
import { orError, type Ways } from './ways.ts';

const decisions = 10;
/** Long enough for all of them. */
const question = 'Write 5000 tokens, 500 a second';

/** From a decision, sent by signal, to its run having it, while an answer is written to nobody and to many. */
export async function measureDecisions(stage: AgentsStage): Promise<Ways[]> {
  const rows: Ways[] = [];
  for (const readers of [0, 50]) {
    const here = await decided(stage, () => writeHere(stage, question, readers, decisions));
    const aiSdk = await orError(decided(stage, () => writeByAiSdk(stage, question, readers)));
    const row = (which: string, pick: (times: number[]) => number): Ways => ({
      what: `a decision by signal, with ${readers} readers: ${which} of ${decisions}`,
      ...{ unit: 'ms', alone: null },
      here: pick(here),
      aiSdk: aiSdk instanceof Error ? aiSdk : pick(aiSdk),
    });
    rows.push(
      row('median', median),
      row('worst', (times) => Math.max(...times)),
    );
  }
  return rows;
}

async function decided(stage: AgentsStage, open: () => Promise<Writing>): Promise<number[]> {
  const writing = await open();
  await writing.go();
  const times: number[] = [];
  for (let i = 0; i < decisions; i++) {
    await delay(300);
    times.push(await writing.decide());
  }
  if ((await stage.streamed()).last !== 0)
    throw new Error('the answer was complete before the decisions were');
  await writing.heard();
  await writing.end();
  return times;
}
