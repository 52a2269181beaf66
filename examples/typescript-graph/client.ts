import { Client, Connection } from '@temporalio/client';
import { TactusClient } from 'tactus-temporal';
import { EngineExecutor } from 'tactus-temporal/graph';
import { refunds } from './graph.ts';

const [order = 'A-7', answer] = process.argv.slice(2);
const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233' });
const executor = new EngineExecutor(refunds, new TactusClient(new Client({ connection })));
const context = { customer: 'Ann' };
const threadId = `refund-${order}`;
const snapshot =
  answer === undefined
    ? await executor.invoke({ order }, context, {
        threadId,
        onStepComplete: ({ metadata }) =>
          console.log(`step ${metadata.step}: ${Object.keys(metadata.writes).join(', ')}`),
      })
    : await executor.resume(answer === 'yes', context, { threadId, idempotencyKey: `${answer}-${order}` });
const [waits] = snapshot.interrupts;
console.log(
  snapshot.metadata.source === 'interrupted'
    ? `${waits?.node} waits: ${waits?.reason} ${JSON.stringify(waits?.payload)}`
    : `ended: ${snapshot.values.outcome}`,
);
await connection.close();
