import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { TaskState, type Message, type Part, type Task } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type AgentExecutor,
} from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';

import { waitUntil } from './wait-until.js';

/** How a task stands after a turn of the agent. */
export interface Turn {
  state: TaskState;
  /** Text, or data, of its status. */
  says?: (string | object)[];
  /** What it gives. */
  gives?: (string | object)[];
}

/** What the agent does when it is told something for the n-th time, from 0, in a task. `heard`: all that it was told in it. */
export type Conduct = (n: number, heard: readonly unknown[]) => Turn | Promise<Turn> | { message: string };

/** A real A2A server of the official package, whose agent does what a test says. */
export class A2AStandIn {
  /** Requests in order, by their methods. */
  readonly asked: { method: string; params: Record<string, unknown>; authorization: string | undefined }[] =
    [];
  conduct: Conduct = () => ({ state: TaskState.TASK_STATE_COMPLETED, gives: ['done'] });
  /** What is said instead of an answer; null: what the agent says. */
  nonsense: { status: number; body: string } | null = null;
  private readonly handler: DefaultRequestHandler;
  private readonly heard = new Map<string, unknown[]>();

  private constructor(
    private readonly server: Server,
    private readonly isLegacy: boolean,
    /** Where its card says that it is. */
    private readonly place: string,
  ) {
    this.handler = new DefaultRequestHandler(this.card, new InMemoryTaskStore(), this.executor);
  }

  static async start({
    isLegacy = false,
    place,
  }: { isLegacy?: boolean; place?: string } = {}): Promise<A2AStandIn> {
    const server = createServer((incoming, outgoing) => void standIn.serve(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const standIn = new A2AStandIn(server, isLegacy, place ?? url);
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Those of a method, of either version of the protocol. */
  of(method: 'send' | 'get' | 'cancel'): Record<string, unknown>[] {
    const names = {
      send: ['SendMessage', 'message/send'],
      get: ['GetTask', 'tasks/get'],
      cancel: ['CancelTask', 'tasks/cancel'],
    };
    return this.asked.filter((each) => names[method].includes(each.method)).map(({ params }) => params);
  }

  async wasAsked(method: 'send' | 'get' | 'cancel', times = 1): Promise<void> {
    await waitUntil(() => Promise.resolve(this.of(method).length >= times));
  }

  forget(): void {
    this.asked.length = 0;
    this.nonsense = null;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private get card() {
    const version = this.isLegacy ? '0.3' : '1.0';
    const place = { url: this.place, protocolBinding: 'JSONRPC', protocolVersion: version, tenant: '' };
    return {
      name: 'Travel',
      description: 'Books journeys',
      supportedInterfaces: [place],
      provider: undefined,
      version: '1',
      capabilities: { streaming: false, pushNotifications: false, extensions: [], extendedAgentCard: false },
      securitySchemes: {},
      securityRequirements: [],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [
        {
          ...{ id: 'book', name: 'Booking', description: 'Trains and ships', tags: [], examples: [] },
          ...{ inputModes: [], outputModes: [], securityRequirements: [] },
        },
      ],
      signatures: [],
    };
  }

  private get executor(): AgentExecutor {
    return {
      execute: async ({ taskId, contextId, userMessage, task }, bus) => {
        const heard = this.heard.get(taskId) ?? [];
        this.heard.set(taskId, [
          ...heard,
          ...userMessage.parts.map(({ content }) => content?.value as unknown),
        ]);
        const turn = await this.conduct(heard.length, this.heard.get(taskId) ?? []);
        const said = (content: (string | object)[]): Message => message(content, { taskId, contextId });
        if ('message' in turn) {
          bus.publish(AgentEvent.message({ ...said([turn.message]), taskId: '' }));
          bus.finished();
          return;
        }
        const { state, says, gives = [] } = turn;
        const status = { state, message: says && said(says), timestamp: new Date().toISOString() };
        const artifact = {
          artifactId: randomUUID(),
          name: '',
          description: '',
          metadata: undefined,
          extensions: [],
        };
        const artifacts = gives.length === 0 ? [] : [{ ...artifact, parts: gives.map(part) }];
        const history = task?.history ?? [userMessage];
        const told: Task = { id: taskId, contextId, status, artifacts, history, metadata: undefined };
        bus.publish(AgentEvent.task(told));
        bus.finished();
      },
      cancelTask: async (taskId, bus) => {
        const state = TaskState.TASK_STATE_CANCELED;
        const status = { state, message: undefined, timestamp: new Date().toISOString() };
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status, metadata: undefined }));
        bus.finished();
        await Promise.resolve();
      },
    };
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const answer = (body: unknown): void => {
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    if (incoming.method === 'GET') {
      const { name, description, ...card } = this.card;
      const legacy = {
        url: this.place,
        protocolVersion: '0.3.0',
        preferredTransport: 'JSONRPC',
        version: '1',
      };
      const { capabilities, defaultInputModes, defaultOutputModes, skills } = card;
      const common = { name, description, capabilities, defaultInputModes, defaultOutputModes, skills };
      answer(this.isLegacy ? { ...legacy, ...common } : { name, description, ...card });
      return;
    }
    const body = JSON.parse(await text(incoming)) as { method: string; params: Record<string, unknown> };
    this.asked.push({ ...body, authorization: incoming.headers.authorization });
    if (this.nonsense !== null) {
      outgoing.writeHead(this.nonsense.status).end(this.nonsense.body);
      return;
    }
    const context = new ServerCallContext({ requestedVersion: this.isLegacy ? '0.3' : '1.0' });
    const transport = this.isLegacy
      ? new LegacyJsonRpcTransportHandler(this.handler)
      : new JsonRpcTransportHandler(this.handler);
    answer(await transport.handle(body, context));
  }
}

function message(content: (string | object)[], of: { taskId: string; contextId: string }): Message {
  return {
    ...of,
    ...{ messageId: randomUUID(), role: 2, parts: content.map(part), metadata: undefined },
    ...{ extensions: [], referenceTaskIds: [] },
  };
}

function part(content: string | object): Part {
  const of = { metadata: undefined, filename: '', mediaType: '' };
  return typeof content === 'string'
    ? { ...of, content: { $case: 'text', value: content } }
    : { ...of, content: { $case: 'data', value: content } };
}
