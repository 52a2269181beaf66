import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { orderProcedure } from '../procedures.ts';

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
  private readonly model: Server;
  private count = 0;
  private expected = 0;

  private constructor(client: Client, type: OrderType, model: Server) {
    this.client = client;
    this.type = type;
    this.model = model;
    model.on('request', (request, response) => {
      const key = String(request.headers['idempotency-key']);
      this.asked.set(key, (this.asked.get(key) ?? 0) + 1);
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        setTimeout(() => response.end('{"score": 0.5}'), answerMs);
      });
    });
  }

  static async open(client: Client, type: OrderType): Promise<Orders> {
    const model = createServer().listen(0, '127.0.0.1');
    await once(model, 'listening');
    return new Orders(client, type, model);
  }

  /** Steps that were done. */
  get steps(): number {
    return this.asked.size;
  }

  async start(order: Order): Promise<WorkflowHandle> {
    const { port } = this.model.address() as AddressInfo;
    const input = { ...order, endpoint: `http://127.0.0.1:${port}` };
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
    await atOnce(50, this.started.length, async (i) => {
      const described = await this.started[i]?.describe();
      if (described?.status.name !== 'COMPLETED') lost += 1;
    });
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

/** Does `work` so often, at most so many at once. */
export async function atOnce(
  width: number,
  count: number,
  work: (i: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const go = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, go));
}
