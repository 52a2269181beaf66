import { TestWorkflowEnvironment } from '@temporalio/testing';
import { readFileSync, readdirSync } from 'node:fs';
import { TactusClient, createTactusWorker, collectSource } from './dist/index.js';
const paths = JSON.parse(readFileSync('.toolchain/paths.json'));
const env = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'existing-path', path: paths.temporal } } });
const worker = await createTactusWorker({ connection: env.nativeConnection, activities: { env: process.env, filesRoot: '/tmp/e2e', procedureFolders: ['/work/shared/cases'] } });
await worker.runUntil(async () => {
  const client = new TactusClient(env.client);
  for (const c of process.argv.slice(2)) {
    const t = Date.now();
    try {
      const source = await collectSource('/work/shared/cases', c + '.tac');
      const run = await client.start(source, c==='w-p06-stale-rerun'?{who:'x'}:c==='w-p22-cost'?{n:2000}:{});
      const res = run.result().then(v => ['ok', v], e => ['failed', e.code, e.message, e.details]);
      for (let i = 0; i < 40; i++) {
        const done = await Promise.race([res.then(() => true), new Promise(r => setTimeout(() => r(false), 100))]);
        if (done) break;
        for (const p of await client.pending(run.runId)) console.log('   decide', p.id, JSON.stringify(await client.decide({ request: p.id, value: true })));
      }
      console.log(c, Date.now() - t, 'ms', JSON.stringify(await res));
      const st = await run.status();
      console.log('   ', st.status, st.checkpoints, JSON.stringify(st.logs), JSON.stringify(st.state));
      const h = await run.handle.fetchHistory();
      const bad = h.events.filter(e => e.workflowTaskFailedEventAttributes);
      console.log('   events', h.events.length, 'failed tasks', bad.length, bad.map(e=>e.workflowTaskFailedEventAttributes.failure?.message).join('|').slice(0,300));
    } catch (e) { console.log(c, 'REFUSED', e.code, e.message.slice(0, 200)); }
  }
});
await env.teardown();
process.exit(0);
