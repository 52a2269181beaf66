import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { EventType, type AGUIEvent, type Interrupt, type RunAgentInput } from '@ag-ui/core';
import { EventEncoder } from '@ag-ui/encoder';
import { waitUntil } from './wait-until.js';

/** How a run of the agent ends. */
export type Ending =
  | { says?: string; result?: unknown; state?: object }
  | { says?: string; interrupts: Interrupt[]; state?: object }
  | { fails: string }
  | { raw: string }
  /** Its stream stays open, and says nothing more; or it breaks off. */
  | 'silent'
  | 'broken';

/** An agent that speaks AG-UI, with events of the official encoder: it does what a test says. */
export class AgUiStandIn {
  readonly asked: (RunAgentInput & { authorization: string | undefined })[] = [];
  conduct: (input: RunAgentInput) => Ending | Promise<Ending> = () => ({ says: 'done' });
  /** Streams that whoever asked has let go of. */
  dropped = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<AgUiStandIn> {
    const server = createServer((incoming, outgoing) => void standIn.serve(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const standIn = new AgUiStandIn(server);
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/agent`;
  }

  async wasAsked(times = 1): Promise<void> {
    await waitUntil(() => Promise.resolve(this.asked.length >= times));
  }

  forget(): void {
    this.asked.length = 0;
    this.dropped = 0;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const input = JSON.parse(await text(incoming)) as RunAgentInput;
    const { threadId, runId } = input;
    this.asked.push({ ...input, authorization: incoming.headers.authorization });
    outgoing.on('close', () => {
      if (!outgoing.writableEnded) this.dropped++;
    });
    const encoder = new EventEncoder({ accept: incoming.headers.accept ?? '' });
    const tell = (event: AGUIEvent): void => void outgoing.write(encoder.encode(event));
    outgoing.writeHead(200, { 'content-type': encoder.getContentType() });
    tell({ type: EventType.RUN_STARTED, threadId, runId });
    const ending = await this.conduct(input);
    if (ending === 'silent') return;
    if (ending === 'broken') {
      outgoing.destroy();
      return;
    }
    if ('raw' in ending) {
      outgoing.end(ending.raw);
      return;
    }
    if ('fails' in ending) {
      tell({ type: EventType.RUN_ERROR, message: ending.fails });
      outgoing.end();
      return;
    }
    const messageId = `said-${runId}`;
    if (ending.state !== undefined) tell({ type: EventType.STATE_SNAPSHOT, snapshot: ending.state });
    if (ending.says !== undefined) {
      tell({ type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' });
      tell({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: ending.says });
      tell({ type: EventType.TEXT_MESSAGE_END, messageId });
    }
    const finished = { type: EventType.RUN_FINISHED, threadId, runId } as const;
    if ('interrupts' in ending)
      tell({ ...finished, outcome: { type: 'interrupt', interrupts: ending.interrupts } });
    else tell({ ...finished, ...(ending.result === undefined ? {} : { result: ending.result }) });
    outgoing.end();
  }
}
