import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { defineTool } from '../../../src/activities/tools/define-tool.js';
import { definitions } from '../../../src/contract/effects/all.generated.js';
import type { EffectKind } from '../../../src/contract/effects/effects.js';
import { awsCredentials } from '../../support/aws-credentials.js';
import { effectExamples } from '../../support/effect-examples.js';
import { historiesOf } from '../../support/histories.js';
import { answerByRequest } from '../../support/model-answers.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;
/** Search attributes cost an event for each change of the status, whatever changed it. */
let tactus: TactusClient;
let worker: TestWorker;
let provider: ProviderStandIn;

beforeAll(async () => {
  for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
  server = await startDevServer();
  tactus = new TactusClient(server.client, { searchAttributes: false });
  provider = await startProviderStandIn();
  provider.reply((request) => {
    const asked = JSON.stringify(request.body);
    const isAsked = asked.includes('run_procedure') && !asked.includes('"role":"tool"');
    // What can't be run is only looked at.
    return isAsked
      ? { toolCalls: [{ name: 'run_procedure', arguments: '{"code":"nothing"}' }] }
      : answerByRequest(request);
  });
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
  const filesRoot = join(import.meta.dirname, '../retrieval');
  worker = await startWorker(server, { activities: { env, filesRoot, tools: [one] } });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await worker.stop();
  await provider.close();
  await server.stop();
});

const one = defineTool({
  name: 'one',
  description: '',
  input: z.object({}),
  effect: 'pure',
  execute: () => 1,
});

const child = { 'child.tac': 'Procedure { function() return 1 end }' };
const costOf = (kind: EffectKind): number =>
  definitions.find((each) => each.kind === kind)?.historyEvents ?? 0;

async function eventsOf(body: string): Promise<number> {
  const source = procedureOf(`${body.replace('URL', `${provider.url}/score`)} return 1`, {
    ...child,
    'waits.tac': 'Procedure { function() Sleep(600) end }',
  });
  const run = await tactus.start(source);
  if (body.startsWith('Human')) {
    const [asked] = await pendingOf(run);
    // As most decide who are no program of ours: by signal.
    await run.handle.signal('decide', { request: asked?.id, value: true });
  }
  if (body.includes('on_failure'))
    for (const [value, kind, tries] of [
      ['retry_here', 'select', 0],
      ['value', 'select', 1],
      [1, 'input', 1],
    ] as const) {
      const asked = await waitUntil(async () => {
        const { pending, changes = [] } = await run.status();
        return changes.length === tries && (pending.find((each) => each.kind === kind) ?? null);
      });
      await run.handle.signal('decide', { request: asked.id, value });
    }
  if (body.includes('Steered')) await run.steer({ message: 'Be brief' });
  if (body.startsWith('Event')) await run.send('go', 1);
  expect(await run.result()).toBe(1);
  const histories = await historiesOf(server.client, run.runId);
  return histories.flatMap(({ events }) => events ?? []).length;
}

it.each(Object.entries(effectExamples))(
  '%s adds as many events as its definition says, or fewer',
  async (kind, { lua, beside = [] }) => {
    const least = await eventsOf('');
    const allowed = [kind as EffectKind, ...beside].map(costOf).reduce((a, b) => a + b, 0);
    let added = Infinity;
    // What arrives while a workflow task is just being completed adds another one.
    for (let tries = 0; tries < 3 && added > allowed; tries++)
      added = Math.min(added, (await eventsOf(lua)) - least);
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThanOrEqual(allowed);
  },
);
