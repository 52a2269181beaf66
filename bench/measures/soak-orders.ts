import { setTimeout as pause } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { orderProcedure } from '../procedures.ts';
import { startModel } from '../stage.ts';
import { each } from './each.ts';

/** Where workers of both kinds look. */
export const taskQueue = 'tactus';

/** What is started: procedures, or workflows written by hand. */
export type OrderType = 'tactus' | 'nativeOrder';

export interface Order {
  steps: number;
  /** Before each step, in seconds. */
  pause: number;
  /** Whether it waits for a person after its steps, and does one more then. */
  asks: boolean;
}

const answerMs = 50;
const patienceMs = 120_000;

/** Runs on a server that may be away at any time, and the model that they ask, which counts. */
export class Orders {
  readonly started: WorkflowHandle[] = [];
  /** How often each step was asked for, by its key. */
  private readonly asked = new Map<string, number>();
  private readonly client: Client;
  private readonly type: OrderType;
  private model = { endpoint: '', close: (): void => undefined };
  private count = 0;
  private expected = 0;

  private constructor(client: Client, type: OrderType) {
    this.client = client;
    this.type = type;
  }

  static async open(client: Client, type: OrderType): Promise<Orders> {
    const orders = new Orders(client, type);
    orders.model = await startModel(answerMs, ({ headers }) => {
      const key = String(headers['idempotency-key']);
      orders.asked.set(key, (orders.asked.get(key) ?? 0) + 1);
    });
    return orders;
  }

  /** Steps that were done. */
  get steps(): number {
    return this.asked.size;
  }

  async start(order: Order): Promise<WorkflowHandle> {
    const input = { ...order, endpoint: this.model.endpoint };
    const args = this.type === 'tactus' ? [{ source: orderProcedure, input }] : [input];
    // Where the answer of the server was lost, it is there already.
    const options = {
      workflowId: `order-${this.count++}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
    } as const;
    const handle = await patiently(() =>
      this.client.workflow.start(this.type, { taskQueue, args, ...options }),
    );
    this.started.push(handle);
    this.expected += order.steps + (order.asks ? 1 : 0);
    return handle;
  }

  /** Answers a run that waits after its first step. */
  answer(handle: WorkflowHandle): Promise<void> {
    const { workflowId: id } = handle;
    return patiently(() =>
      this.type === 'tactus'
        ? handle.signal('decide', { request: `${id}/1`, value: true, id })
        : handle.signal('goOn'),
    );
  }

  /** Waits for the end of a run. One that failed is counted by `lost`. */
  async ended(handle: WorkflowHandle): Promise<void> {
    const hasFailed = (error: unknown): void => {
      if ((error as Error).name !== 'WorkflowFailedError') throw error;
    };
    await patiently(() => handle.result().then(() => undefined, hasFailed));
  }

  /** Runs that didn't end well, and steps that were never done. */
  async lost(): Promise<number> {
    let lost = Math.max(0, this.expected - this.steps);
    const look = async (handle: WorkflowHandle): Promise<void> => {
      if ((await handle.describe()).status.name !== 'COMPLETED') lost += 1;
    };
    await each(this.started, look, 50);
    return lost;
  }

  /** Calls of steps beyond their first. */
  get again(): number {
    return [...this.asked.values()].reduce((sum, count) => sum + count - 1, 0);
  }

  close(): void {
    this.model.close();
  }
}

/** Again and again while the server is away. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + patienceMs; ;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > until) throw error;
      await pause(500);
    }
  }
}
