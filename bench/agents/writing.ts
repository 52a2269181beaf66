import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { signalNames } from '../../dist/contract/names.js';
import { TactusClient, type MemoryStreams, type TactusRun } from '../../dist/index.js';
import { timed } from '../measures/compare.ts';
import type { Child } from './child.ts';
import { hear } from './hear.ts';
import type { Heard } from './heard.ts';
import { memoryTaskQueue, streamsTaskQueue, writeProcedure } from './procedures.ts';
import type { AgentsStage } from './stage.ts';

/** A run that is about to write an answer, with its readers. */
export interface Writing {
  handle: WorkflowHandle;
  go(): Promise<void>;
  /** What each reader has had, when all have all of it. */
  heard(): Promise<Heard[]>;
  /** Sends a decision by signal; gives the time until the run has it, in ms. */
  decide(): Promise<number>;
  end(): Promise<void>;
}

/** @throws Error where they can't read */
async function readiness(readers: Child | null): Promise<void> {
  const said = (await readers?.line()) ?? 'ready';
  if (said !== 'ready') throw new Error(said);
}

/** @throws Error where they couldn't read all of it */
async function heardBy(readers: Child | null): Promise<Heard[]> {
  const said = (await readers?.line()) ?? '[]';
  if (!said.startsWith('[')) throw new Error(said);
  return JSON.parse(said) as Heard[];
}

/** A run here, which is read through the broker. */
export async function writeHere(
  stage: AgentsStage,
  question: string,
  count: number,
  approvals = 0,
): Promise<Writing> {
  const tactus = new TactusClient(stage.client, { taskQueue: streamsTaskQueue });
  const run = await tactus.start(writeProcedure, { question, approvals });
  const readers = count === 0 ? null : stage.readers(run.runId, count);
  await readiness(readers);
  return { ...writingOf(run), heard: () => heardBy(readers) };
}

/** A run here with one reader in the process of its worker. */
export async function writeInProcess(
  stage: AgentsStage,
  question: string,
  streams: MemoryStreams,
): Promise<Writing> {
  const tactus = new TactusClient(stage.client, { taskQueue: memoryTaskQueue, streams });
  const run = await tactus.start(writeProcedure, { question });
  let reading: Promise<Heard> | undefined;
  await new Promise<void>((resolve) => {
    reading = hear(run, resolve);
  });
  return { ...writingOf(run), heard: async () => (reading === undefined ? [] : [await reading]) };
}

function writingOf(run: TactusRun): Omit<Writing, 'heard'> {
  return {
    handle: run.handle,
    go: () => run.send('go', null),
    decide: async () => {
      let [request] = await run.pending();
      for (; request === undefined; [request] = await run.pending()) await delay(20);
      const { id } = request;
      return timed(async () => {
        await run.handle.signal(signalNames.decide, { request: id, value: true });
        while ((await run.pending()).some((each) => each.id === id));
      });
    },
    end: async () => void (await run.result()),
  };
}

/** The same by `@temporalio/ai-sdk`. */
export async function writeByAiSdk(stage: AgentsStage, question: string, count: number): Promise<Writing> {
  const handle = await stage.client.workflow.start('write', {
    ...{ taskQueue: 'ai-sdk', workflowId: randomUUID(), args: [question] },
  });
  const readers = count === 0 ? null : stage.aiSdkReaders(handle.workflowId, count);
  await readiness(readers);
  return {
    handle,
    go: () => handle.signal('say', 'go'),
    heard: () => heardBy(readers),
    decide: () => {
      const id = randomUUID();
      return timed(async () => {
        await handle.signal('decide', id);
        while (!(await handle.query<boolean, [string]>('decided', id)));
      });
    },
    end: async () => {
      await handle.signal('say', 'done');
      await handle.result();
    },
  };
}
