/**
 * `npm run bench -- sizing [runs]`: what a run leaves in Temporal, in its database, in the index and in a storage, while it waits for a person and
 * after its end: two turns of an agent with 1,000 characters each, and an approval between them. docs/production/sizing.md calculates with it.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openRunIndex, openStorage, TactusClient, type TactusRun } from '../dist/index.js';
import { createTactusWorker } from '../dist/worker.js';
import { each } from './measures/each.ts';
import { quiet, startServer } from './stage.ts';

const runs = Number(process.argv[2] ?? 300);
const settleMs = 5_000;
const text = 'a'.repeat(1_000);
const source = {
  entry: 'order.tac',
  files: {
    'order.tac': `clerk = Agent { model = "openai/gpt-x", system_prompt = "${text}" }
function main()
  local plan = clerk("plan the order").output
  local ok = Human.approve { message = "May it be ordered?" }
  return { plan = plan, ok = ok, done = clerk("order it").output }
end`,
  },
};

const folder = mkdtempSync(join(tmpdir(), 'bench-sizing-'));
const places = { server: 'server', index: 'index', storage: 'storage' } as const;

/** Bytes of files whose names begin so, with what a database has yet to take in. */
function bytesOf(name: string): number {
  return readdirSync(folder)
    .filter((file) => file.startsWith(name))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

const sizes = (): Record<keyof typeof places, number> => ({
  server: bytesOf(places.server),
  index: bytesOf(places.index),
  storage: bytesOf(places.storage),
});

const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content: text };
    const usage = { prompt_tokens: 300, completion_tokens: 250, total_tokens: 550 };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.end(
      JSON.stringify({ id: 'a', object: 'chat.completion', created: 1, model: 'gpt-x', usage, choices }),
    );
  });
}).listen(0, '127.0.0.1');
await new Promise((resolve) => provider.once('listening', resolve));
const { port } = provider.address() as AddressInfo;

quiet();
const env = await startServer(join(folder, 'server.sqlite'));
const index = await openRunIndex(join(folder, 'index.sqlite'));
const storage = await openStorage(`sqlite:${join(folder, 'storage.sqlite')}`);
const worker = await createTactusWorker({
  ...{ connection: env.nativeConnection, index, storage },
  activities: {
    env: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    filesRoot: folder,
    procedureFolders: [],
  },
  worker: { maxCachedWorkflows: runs },
});
const running = worker.run();
const tactus = new TactusClient(env.client, { index });

async function untilAsked(run: TactusRun): Promise<string> {
  for (;;) {
    const [request] = (await run.status()).pending;
    if (request !== undefined) return request.id;
    await pause(50);
  }
}

/** What one run has in its history. */
async function historyOf({ runId }: TactusRun): Promise<{ events: number; bytes: number; actions: number }> {
  const { raw } = await env.client.workflow.getHandle(runId).describe();
  const { events } = await env.client.workflow.getHandle(runId).fetchHistory();
  // As Temporal Cloud counts them: starts, activities, timers, signals, Updates, changes of attributes.
  const billed = (events ?? []).filter(
    (event) =>
      (event.workflowExecutionStartedEventAttributes ??
        event.activityTaskScheduledEventAttributes ??
        event.timerStartedEventAttributes ??
        event.workflowExecutionSignaledEventAttributes ??
        event.workflowExecutionUpdateAcceptedEventAttributes ??
        event.upsertWorkflowSearchAttributesEventAttributes ??
        event.markerRecordedEventAttributes) != null,
  );
  const info = raw.workflowExecutionInfo;
  return {
    events: Number(info?.historyLength ?? 0),
    bytes: Number(info?.historySizeBytes ?? 0),
    actions: billed.length,
  };
}

const kb = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`;

function print(
  when: string,
  before: ReturnType<typeof sizes>,
  history: Awaited<ReturnType<typeof historyOf>>,
): void {
  const now = sizes();
  const perRun = (Object.keys(places) as (keyof typeof places)[]).map((name) =>
    kb((now[name] - before[name]) / runs),
  );
  console.log(`| ${[when, history.events, kb(history.bytes), history.actions, ...perRun].join(' | ')} |`);
}

console.log(`| a run, of ${runs} | events | history | actions | server (SQLite) | index | storage |`);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
try {
  const before = sizes();
  const started: TactusRun[] = [];
  const ids = Array.from({ length: runs }, (_, number) => `order-${number}`);
  await each(ids, async (runId) => void started.push(await tactus.start(source, {}, { runId })));
  const asked = new Map<TactusRun, string>();
  await each(started, async (run) => void asked.set(run, await untilAsked(run)));
  const [first] = started;
  await pause(settleMs);
  if (first !== undefined) print('waits for a person', before, await historyOf(first));
  await each(started, async (run) => {
    await run.decide({ request: asked.get(run) ?? '', value: true });
    await run.result();
  });
  await pause(settleMs);
  if (first !== undefined) print('has ended', before, await historyOf(first));
} finally {
  worker.shutdown();
  await running;
  await index.close();
  await storage.close?.();
  await env.teardown();
  provider.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
