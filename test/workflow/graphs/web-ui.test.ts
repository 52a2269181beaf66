import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/graph.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';

const till = defineGraph<{ notes: string }>({
  name: 'till',
  channels: { notes: undefined },
  nodes: { pay: async () => ({ stateDiff: {} }) },
});
const server = serverWithWorker(startDevServer, { activities: { graphs: [till] } });

const source = `
main = Graph { channels = { n = Graph.last }, entrypoint = "plan", nodes = {
  plan = function() return { next = { "pay", "ask" } } end,
  pay = Tool { use = "host.till.pay" },
  ask = function()
    Graph.interrupt("send it?")
    return { intents = { { type = "note" } } }
  end,
} }`;

it("Temporal's own pages name the super-step that is under way, and node and step of what workers do", async () => {
  const run = await server.tactus.start(procedureSource(source), {}, { runId: 'web' });
  const [request] = await pendingOf(run);
  type Described = { currentDetails: string };
  const details = async (): Promise<string> =>
    (await run.handle.query<Described>('__temporal_workflow_metadata')).currentDetails;
  await expect.poll(details, { timeout: 30_000 }).toContain('- pay has ended');
  expect((await details()).split('\n')).toEqual(
    expect.arrayContaining(['**main super-step 2**: pay, ask', '- ask waits (human): send it?']),
  );
  await run.decide({ request: request?.id ?? '', value: true });
  await run.result();
  expect(await details()).not.toContain('super-step');
  const events = (await historiesOf(server.client, 'web')).flatMap((history) => history.events ?? []);
  const textOf = (data: Uint8Array | null | undefined): string => new TextDecoder().decode(data ?? undefined);
  const summaries = events.flatMap(({ activityTaskScheduledEventAttributes: asked, userMetadata }) =>
    asked ? [`${asked.activityType?.name ?? ''} ${textOf(userMetadata?.summary?.data)}`] : [],
  );
  expect(summaries).toContain('callTool "main step 2 · pay"');
  expect(summaries).toContain('dispatchIntent "main step 2 · ask: note"');
});
