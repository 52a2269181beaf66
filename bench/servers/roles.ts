import { createInterface } from 'node:readline';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { startCollector } from '../../test/support/collector.js';
import { startOtlpReceiver } from '../../test/support/otlp-receiver.js';
import { hastyRules, startPrometheus } from '../../test/support/prometheus-server.js';
import { startTemporalRoles } from '../../test/support/temporal-roles.js';
import { removeFolders } from './after-all.js';

/**
 * Starts a Temporal server with a process for each service, a collector and Prometheus, and kills and starts again the service that each line names, until
 * nobody listens any more. The line `seen` asks what collector and Prometheus have.
 */
const roles = await startTemporalRoles();
const receiver = await startOtlpReceiver();
const collector = await startCollector(receiver.url);
const metrics = [await freePort(), await freePort(), await freePort()];
const addresses = metrics.map((port) => `127.0.0.1:${port}`);
const targets = { 'tactus-worker': addresses.slice(0, 2), 'tactus-serve': addresses.slice(2) };
const prometheus = await startPrometheus(targets, hastyRules());
const { address, database, parts } = roles;
const names = parts.map(({ name }) => name);
console.log(JSON.stringify({ address, database, parts: names, metrics, traces: collector.url }));

for await (const name of createInterface(process.stdin)) {
  if (name === 'seen') {
    const runs = receiver.spans().filter((span) => span.name.startsWith('invoke_workflow')).length;
    const [series] = await prometheus.query('count({__name__=~"temporal_.*|tactus_.*"})');
    console.log(JSON.stringify({ runs, series: series?.value ?? 0 }));
    continue;
  }
  const part = parts.find((each) => each.name === name);
  if (part === undefined) throw new Error(`no part ${name}`);
  await part.kill();
  await part.start();
  console.log(name);
}
await prometheus.stop();
await collector.stop();
await receiver.close();
await roles.close();
removeFolders();
process.exit(0);
