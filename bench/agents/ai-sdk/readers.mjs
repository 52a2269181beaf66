/**
 * Those who look on at a workflow `write`: `node readers.mjs ADDRESS WORKFLOW_ID COUNT`. Says so when all of them have its
 * beginning, and then on one line what each has heard; or what went wrong.
 */
import { Buffer } from 'node:buffer';
import { Client, Connection } from '@temporalio/client';
import { WorkflowStreamClient } from '@temporalio/workflow-streams/client';

const [address, workflowId, count] = process.argv.slice(2);
const client = new Client({ connection: await Connection.connect({ address }) });

process.stdin.resume().on('end', () => process.exit(0));
let ready = 0;

async function read() {
  const heard = { characters: 0, lastText: 0, last: 0 };
  for await (const { data } of WorkflowStreamClient.create(client, workflowId).topic('said').subscribe(0)) {
    // What a workflow publishes is JSON, what the plugin does is bytes of it.
    const part = data instanceof Uint8Array ? JSON.parse(Buffer.from(data).toString()) : data;
    heard.last = Date.now();
    if (part.type === 'ready' && ++ready === Number(count)) process.stdout.write('ready\n');
    if (part.type === 'text-delta') {
      heard.characters += part.delta.length;
      heard.lastText = heard.last;
    }
    if (part.type === 'finish') break;
  }
  return heard;
}

try {
  const heard = await Promise.all(Array.from({ length: Number(count) }, read));
  process.stdout.write(`${JSON.stringify(heard)}\n`);
} catch (error) {
  process.stdout.write(`${error.cause?.details ?? error}\n`);
}
process.exit(0);
