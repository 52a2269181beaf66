import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { openStage } from '../stage.ts';
import { installAiSdk } from './ai-sdk-project.ts';
import { startChild, type Child } from './child.ts';
import type { Streamed } from './heard.ts';
import { openNatsBroker } from './nats-broker.ts';

/** A server, a provider, and workers of both kinds, each in a process of its own. */
export interface AgentsStage {
  client: Client;
  connection: NativeConnection;
  /** Of the provider. */
  baseURL: string;
  /** When it has sent the answer that it streamed last, or streams. */
  streamed(): Promise<Streamed>;
  /** Starts readers of a run of ours that streams through the broker. */
  readers(runId: string, count: number): Child;
  /** The same for a workflow of the other kind. */
  aiSdkReaders(workflowId: string, count: number): Child;
  close(): Promise<void>;
}

const here = (file: string): string => join(import.meta.dirname, file);

export async function openAgentsStage(): Promise<AgentsStage> {
  const aiSdk = installAiSdk();
  const [stage, broker] = [await openStage(), await openNatsBroker()];
  const { env } = stage;
  const provider = startChild(here('provider.ts'), []);
  const url = await provider.line();
  const baseURL = `${url}/v1`;
  const workers = [
    startChild(here('worker.ts'), [env.address, baseURL, broker.address]),
    startChild('worker.mjs', [env.address, baseURL], aiSdk.folder),
  ];
  for (const worker of workers) await worker.line();
  return {
    client: env.client,
    connection: env.nativeConnection,
    baseURL,
    streamed: async () => (await (await fetch(`${url}/streamed`)).json()) as Streamed,
    readers: (runId, count) =>
      startChild(here('readers.ts'), [env.address, broker.address, runId, String(count)]),
    aiSdkReaders: (workflowId, count) =>
      startChild('readers.mjs', [env.address, workflowId, String(count)], aiSdk.folder),
    async close() {
      for (const child of [...workers, provider]) await child.close();
      await stage.close();
      await broker.close();
      aiSdk.remove();
    },
  };
}
