import type { Socket } from 'node:net';
import type { Verdict } from '../../contract/people/decision.js';
import type { HumanRequest, OptionValue } from '../../contract/people/human-request.js';
import { exampleAnswer } from '../../contract/people/request-text.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { requestText, type AskedRequest, type FoundRequests } from './requests.js';
import { answerValue } from './answer-value.js';
import { toCommandError } from '../terminal/to-command-error.js';
import { TactusError } from '../command.js';
import { plainText } from '../../contract/text/plain-text.js';

/** Ten digits and a line feed: the length of what follows, in bytes. */
const prefixBytes = 11;
/** An answer of a person is far smaller. */
const maxMessageBytes = 1024 * 1024;

/** A message as the reference frames it. */
export function framed(message: JsonObject): Buffer {
  const text = Buffer.from(JSON.stringify(message), 'utf8');
  return Buffer.concat([Buffer.from(`${String(text.length).padStart(10, '0')}\n`), text]);
}

/** Puts the messages of one connection together as their bytes come. */
export class MessageReader {
  private held: Buffer = Buffer.alloc(0);

  /**
   * @returns the messages that are complete now
   * @throws Error where the bytes are no messages
   */
  read(bytes: Buffer): JsonObject[] {
    this.held = Buffer.concat([this.held, bytes]);
    const messages: JsonObject[] = [];
    while (this.held.length >= prefixBytes) {
      const length = lengthOf(this.held.subarray(0, prefixBytes).toString('latin1'));
      if (this.held.length < prefixBytes + length) break;
      messages.push(parse(this.held.subarray(prefixBytes, prefixBytes + length).toString('utf8')));
      this.held = this.held.subarray(prefixBytes + length);
    }
    return messages;
  }
}

function lengthOf(prefix: string): number {
  const length = /^\d{10}\n$/.test(prefix) ? Number(prefix) : NaN;
  if (!(length > 0)) throw new Error(`what comes is no message: it begins with ${JSON.stringify(prefix)}`);
  if (length > maxMessageBytes)
    throw new Error(`a message of ${length} bytes is larger than the ${maxMessageBytes} that are taken`);
  return length;
}

function parse(text: string): JsonObject {
  const message = JSON.parse(text) as JsonValue;
  if (!isObject(message)) throw new Error('a message must be an object');
  return message;
}

/** How often a client is asked whose answers don't count: a program could answer so for ever. */
const mostTries = 3;

export interface ControlPlaneOptions {
  namespace: string;
  decide: (request: AskedRequest, value: JsonObject['value']) => Promise<Verdict>;
  /** Told what a client is told of its answer, and why one was cut off. */
  note: (text: string) => void;
}

interface Client {
  socket: Socket;
  /** How many answers of it didn't count, by request. */
  failed: Map<string, number>;
}

/** The open requests of all runs, for the clients of the control socket: each sees all, and whoever decides first has decided. */
export class ControlPlane {
  private readonly clients = new Set<Client>();
  private open = new Map<string, AskedRequest>();
  /** What the user of this socket has decided, though it may be open still: others must agree. */
  private readonly settled = new Set<string>();
  private readonly answering = new Set<string>();

  constructor(private readonly options: ControlPlaneOptions) {}

  get isWatched(): boolean {
    return this.clients.size > 0;
  }

  /** Shows what is new, and withdraws what is no longer open; requests of runs that couldn't be asked stay. */
  update({ pending, missing }: FoundRequests): void {
    const unknown = new Set(missing.map(({ run_id: runId }) => runId));
    const now = new Map(pending.map((request) => [request.id, request]));
    for (const id of this.settled) if (!now.delete(id)) this.settled.delete(id);
    for (const [id, request] of this.open) {
      const known = now.get(id);
      if (known === undefined && (unknown.has(request.run_id) || this.answering.has(id)))
        now.set(id, request);
      else if (known?.digest !== request.digest)
        this.tellAll(
          cancelled(id, known === undefined ? 'decided elsewhere, or its time is over' : 'it has changed'),
        );
    }
    const before = this.open;
    this.open = now;
    for (const request of now.values())
      if (before.get(request.id)?.digest !== request.digest) this.tellAll(this.shown(request));
  }

  add(socket: Socket): void {
    const client: Client = { socket, failed: new Map() };
    const reader = new MessageReader();
    this.clients.add(client);
    const leave = (): void => {
      this.clients.delete(client);
      // Nobody is told any more what becomes of them.
      if (!this.isWatched) this.open.clear();
    };
    // A client that has gone away is no fault.
    socket.on('close', leave).on('error', leave);
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const message of reader.read(bytes)) this.hear(client, message);
      } catch (error) {
        this.options.note(`A client is cut off: ${error instanceof Error ? error.message : String(error)}`);
        socket.destroy();
      }
    });
    for (const request of this.open.values()) sendMessage(client, this.shown(request));
  }

  close(): void {
    for (const { socket } of this.clients) socket.destroy();
  }

  private hear(client: Client, message: JsonObject): void {
    if (message['type'] === 'control.list') {
      const requests = [...this.open.values()].map((request) => this.shown(request));
      sendMessage(client, { type: 'control.list_response', requests });
    } else if (message['type'] === 'control.response' && typeof message['request_id'] === 'string')
      void this.answer(client, message['request_id'], message);
    else this.options.note(`A client says what isn't understood: ${JSON.stringify(message['type'] ?? null)}`);
  }

  /** Their protocol has no word for an answer that doesn't count: the request is withdrawn with the reason, and put again where that helps. */
  private async answer(client: Client, id: string, message: JsonObject): Promise<void> {
    const request = this.open.get(id);
    if (request === undefined) {
      sendMessage(client, cancelled(id, 'late: it was decided elsewhere, or its time was over'));
      return;
    }
    this.answering.add(id);
    const { outcome, reason, mayRepeat } = await this.decided(request, message);
    this.answering.delete(id);
    this.options.note(`${outcome} ${id}: ${reason}`);
    if (outcome === 'accepted' || outcome === 'duplicate') {
      this.open.delete(id);
      this.settled.add(id);
      for (const other of this.clients)
        if (other !== client) sendMessage(other, cancelled(id, 'decided by another client'));
      return;
    }
    sendMessage(client, cancelled(id, `${outcome.replace('_', ' ')}: ${reason}`));
    const failed = (client.failed.get(id) ?? 0) + 1;
    client.failed.set(id, failed);
    if (mayRepeat && failed < mostTries && this.open.has(id)) sendMessage(client, this.shown(request));
  }

  private async decided(
    request: AskedRequest,
    message: JsonObject,
  ): Promise<{ outcome: string; reason: string; mayRepeat: boolean }> {
    try {
      const verdict = await this.options.decide(request, decisionValue(request, message));
      return { outcome: verdict.outcome, reason: verdict.message, mayRepeat: verdict.outcome === 'invalid' };
    } catch (error) {
      return { outcome: 'not decided', reason: toCommandError(error).message, mayRepeat: true };
    }
  }

  private shown(request: AskedRequest): JsonObject {
    return controlRequest(request, this.options.namespace, Date.now());
  }

  private tellAll(message: JsonObject): void {
    for (const client of this.clients) sendMessage(client, message);
  }
}

function cancelled(id: string, reason: string): JsonObject {
  return { type: 'control.cancelled', request_id: id, reason };
}

function sendMessage({ socket }: Client, message: JsonObject): void {
  if (!socket.destroyed) socket.write(framed(message));
}

/**
 * What was answered on the control socket, as the value of a decision: an approval and a choice as they are, a text as one types it
 * behind `respond`.
 * @throws TactusError usage where the text is no answer to this request
 */
function decisionValue(request: HumanRequest, { value = null }: JsonObject): JsonValue {
  if (typeof value !== 'string' || request.kind === 'approval') return value;
  if (value === '' && request.kind !== 'escalation') throw new TactusError('usage', 'An answer is needed');
  return answerValue(request, value);
}

/** The questions that `tactus control` can put: all others it passes over with a warning. */
type ControlType = 'approval' | 'choice' | 'input';

/** A request as the reference's control socket sends it (`control.request`), for people who answer with `tactus control`. */
function controlRequest(request: AskedRequest, namespace: string, now: number): JsonObject {
  const { id, run_id: runId, kind, procedure, created_at: createdAt, deadline } = request;
  const type = controlType(request);
  return {
    type: 'control.request',
    request_id: id,
    procedure_id: runId,
    procedure_name: richText(procedure),
    invocation_id: runId,
    request_type: type,
    message: richText(messageOf(request, type)),
    options: type === 'choice' ? optionsOf(request) : [],
    default_value: defaultOf(request, type),
    timeout_seconds: deadline === null ? null : Math.max(0, Math.round((Date.parse(deadline) - now) / 1_000)),
    metadata: metadataOf(request, kind),
    namespace,
    subject: null,
    // Older versions of Python read no `Z`.
    started_at: createdAt.replace(/Z$/, '+00:00'),
    input_summary: {},
    conversation: [],
    prior_interactions: [],
  };
}

function controlType({ kind, options, form }: AskedRequest): ControlType {
  if (kind === 'approval') return 'approval';
  const isOne = form?.type !== 'select' || !form.multiple;
  return options.length > 0 && isOne ? 'choice' : 'input';
}

/** All that a person has to know, and how what has no question of its own is typed. */
function messageOf(request: AskedRequest, type: ControlType): string {
  const text = requestText(request, { how: false });
  if (type !== 'input' || request.kind === 'input' || request.kind === 'escalation') return text;
  return `${text}\n  answer as with tactus-temporal respond: ${exampleAnswer(request)}`;
}

function optionsOf({ options, form }: AskedRequest): JsonObject[] {
  const labelOf = (value: OptionValue): string =>
    (form?.type === 'select' ? form.choices.find((each) => each.value === value)?.label : undefined) ??
    String(value);
  return options.map((value) => ({ label: richText(labelOf(value)), value }));
}

/** What Enter sends there. An approval is never sent by Enter alone. */
function defaultOf({ default: byDefault, options }: AskedRequest, type: ControlType): JsonValue {
  if (type === 'approval') return null;
  if (type === 'choice') return options.find((option) => option === byDefault) ?? null;
  return typeof byDefault === 'string' ? byDefault : null;
}

/** What their protocol has no field for, as we have it. */
function metadataOf(request: AskedRequest, kind: AskedRequest['kind']): JsonObject {
  const { metadata = {}, context, form, approvers, deadline, digest, position, quorum, requester } = request;
  return {
    ...metadata,
    tactus_temporal: {
      kind,
      context,
      form: (form ?? null) as JsonValue,
      approvers,
      deadline,
      digest,
      position,
      quorum: quorum ?? null,
      requester: requester ?? null,
    },
  };
}

/** For Rich, which takes `[bold]` in a text for its own, and ends with an error at `[/]`. */
function richText(text: string): string {
  return plainText(text).replace(/(\\*)(\[[a-z#/@][^[]*?])/gi, String.raw`$1$1\$2`);
}
