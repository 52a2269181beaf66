import { MemoryStreams } from '../../dist/index.js';
import { createTactusWorker } from '../../dist/worker.js';
import { hearAlone } from '../agents/alone.ts';
import { token, type Heard } from '../agents/heard.ts';
import { memoryTaskQueue, workerEnvironment } from '../agents/procedures.ts';
import type { AgentsStage } from '../agents/stage.ts';
import { writeByAiSdk, writeHere, writeInProcess, type Writing } from '../agents/writing.ts';
import { inRotation, median } from './compare.ts';
import { orError, type Figure, type Ways } from './ways.ts';

/** How an answer came to the slowest of its readers. */
interface Arrival {
  /** Tokens a second, from the first that was sent to the last that was received. */
  speed: number;
  /** From the last token that was sent to the last event that was received, in ms. */
  lag: number;
  /** What it put into history, in bytes. */
  history: number;
}

const many = 50;

/** An answer of so many tokens, as fast as it can be sent and paced, for one reader and for many. */
export async function measureStreamedAnswers(
  stage: AgentsStage,
  tokens: number,
  rounds: number,
): Promise<Ways[]> {
  const streams = new MemoryStreams();
  const worker = await createTactusWorker({
    ...{ connection: stage.connection, taskQueue: memoryTaskQueue },
    activities: { env: workerEnvironment(stage.baseURL), filesRoot: '.', procedureFolders: [], streams },
  });
  const measure = async (pace: string, times: number): Promise<Ways[]> => {
    const question = `Write ${tokens} tokens${pace}`;
    const inTurns = await inRotation(times, {
      alone: async () => arrivalOf(stage, tokens, [await hearAlone(stage.baseURL, question)], 0),
      inProcess: () => written(stage, tokens, () => writeInProcess(stage, question, streams)),
      one: () => written(stage, tokens, () => writeHere(stage, question, 1)),
      many: () => written(stage, tokens, () => writeHere(stage, question, many)),
      oneByAiSdk: () => written(stage, tokens, () => writeByAiSdk(stage, question, 1)),
    });
    // Where it fails it takes long to: once is enough.
    const manyByAiSdk = [await orError(written(stage, tokens, () => writeByAiSdk(stage, question, many)))];
    const arrivals = { ...inTurns, manyByAiSdk };
    const row = (
      what: string,
      unit: string,
      key: keyof Arrival,
      here: 'inProcess' | 'one' | 'many',
    ): Ways => ({
      ...{ what: `${what}${pace}, ${places[here]}`, unit },
      alone: key === 'history' ? null : middle(arrivals.alone, key),
      here: middle(arrivals[here], key),
      aiSdk: here === 'inProcess' ? null : middle(arrivals[`${here}ByAiSdk`], key),
    });
    const all = ['inProcess', 'one', 'many'] as const;
    return [
      ...all.map((here) => row(`${tokens} tokens`, 'tokens/s', 'speed', here)),
      ...all.map((here) => row('last token to last event', 'ms', 'lag', here)),
      ...all.slice(1).map((here) => row(`history of ${tokens} tokens`, 'bytes', 'history', here)),
    ];
  };
  return worker.runUntil(async () => [
    ...(await measure('', rounds)),
    ...(await measure(', 500 a second', 1)),
  ]);
}

const places = {
  inProcess: 'a reader in the process of the worker',
  one: 'a reader elsewhere',
  many: `${many} readers elsewhere`,
} as const;

async function written(stage: AgentsStage, tokens: number, open: () => Promise<Writing>): Promise<Arrival> {
  const writing = await open();
  const bytes = async (): Promise<number> => (await writing.handle.describe()).historySize ?? NaN;
  const before = await bytes();
  await writing.go();
  const heard = await writing.heard();
  await writing.end();
  return arrivalOf(stage, tokens, heard, (await bytes()) - before);
}

async function arrivalOf(
  stage: AgentsStage,
  tokens: number,
  heard: readonly Heard[],
  history: number,
): Promise<Arrival> {
  if (heard.some(({ characters }) => characters !== tokens * token.length))
    throw new Error('a reader has not had all of it');
  const { first, last } = await stage.streamed();
  const lastText = Math.max(...heard.map((each) => each.lastText));
  return {
    speed: (tokens * 1_000) / (lastText - first),
    lag: Math.max(...heard.map((each) => each.last)) - last,
    history,
  };
}

function middle(arrivals: readonly (Arrival | Error)[], key: keyof Arrival): Figure {
  const failed = arrivals.find((arrival) => arrival instanceof Error);
  return failed ?? median(arrivals.flatMap((each) => (each instanceof Error ? [] : each[key])));
}
