import { TestWorkflowEnvironment } from '@temporalio/testing';
import { readFileSync } from 'node:fs';
import { TactusClient, createTactusWorker, collectSource } from './dist/index.js';
const [rounds, events] = process.argv.slice(2).map(Number);
const paths = JSON.parse(readFileSync('.toolchain/paths.json'));
const env = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'existing-path', path: paths.temporal } } });
const worker = await createTactusWorker({ connection: env.nativeConnection, activities: { env: process.env, filesRoot: '/tmp/e2e', procedureFolders: [] } });
const result = await worker.runUntil(async () => {
  const client = new TactusClient(env.client);
  const source = await collectSource('/tmp/e2e/procs', 'big.tac');
  const t = Date.now();
  const run = await client.start(source, { rounds }, { limits: events ? { historyEvents: events } : {} });
  let res; run.result().then(v => res = ['ok', v], e => res = ['failed', e.code, e.message, e.details]);
  const end = Date.now() + 80_000;
  while (!res && Date.now() < end) {
    await new Promise(r => setTimeout(r, 100));
    try { for (const p of await client.pending(run.runId)) console.log('   decide', p.id, JSON.stringify(await client.decide({ request: p.id, value: true }))); } catch (e) { console.log('poll', e.message) }
  }
  const st = await run.status();
  console.log(Date.now() - t, 'ms', JSON.stringify(res), st.status, st.checkpoints, JSON.stringify(st.printed), JSON.stringify(st.waits.slice(0,3)));
  let execs = 0;
  for await (const w of env.client.workflow.list({ query: `WorkflowId = '${run.runId}'` })) { execs++; console.log('  exec', w.status.name, w.historyLength, w.historySize); }
  return 0;
});
await env.teardown(); process.exit(0);
