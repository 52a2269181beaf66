/**
 * Those who look on at a run of `writeProcedure`: `node readers.ts ADDRESS BROKER RUN COUNT`, each with a connection to the broker. Says so when all of them have its
 * beginning, and then on one line what each has heard.
 */
import { Client, Connection } from '@temporalio/client';
import { NatsStreams, TactusClient } from '../../dist/index.js';
import { hear } from './hear.ts';

const [address = '', broker = '', runId = '', count] = process.argv.slice(2);
const client = new Client({ connection: await Connection.connect({ address }) });
process.stdin.resume().on('end', () => process.exit(0));
let ready = 0;
const heard = await Promise.all(
  Array.from({ length: Number(count) }, () => {
    const run = new TactusClient(client, { streams: new NatsStreams({ servers: broker }) }).attach(runId);
    return hear(run, () => {
      if (++ready === Number(count)) console.log('ready');
    });
  }),
);
console.log(JSON.stringify(heard));
process.exit(0);
