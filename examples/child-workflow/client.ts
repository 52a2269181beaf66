import { Client, Connection } from '@temporalio/client';
import type { refundOrder } from './workflows.ts';

const [order = 'A-7', amount = '40'] = process.argv.slice(2);
const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233' });
const refunded = await new Client({ connection }).workflow.execute<typeof refundOrder>('refundOrder', {
  taskQueue: 'refunds',
  workflowId: `order-${order}`,
  args: [order, Number(amount)],
});
console.log(refunded ? `${order} is refunded` : `${order} is not refunded`);
await connection.close();
