import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject, type JsonValue } from '../../src/contract/json/json.js';
import { anthropic } from './provider-stand-in/anthropic.js';
import { BackgroundResponses, type Outcome } from './provider-stand-in/background.js';
import { BatchesStandIn } from './provider-stand-in/batches.js';
import { bedrock } from './provider-stand-in/bedrock.js';
import { conversationRefusal } from './provider-stand-in/conversation-refusal.js';
import { google } from './provider-stand-in/google.js';
import { chatCompletions, groq, mistral } from './provider-stand-in/openai.js';
import type { Protocol } from './provider-stand-in/protocol.js';
import { responses } from './provider-stand-in/responses.js';

/** What a model says; it is put into whatever protocol the request speaks, streamed where the request asks for it. */
export interface ModelAnswer {
  text?: string;
  toolCalls?: { id?: string; name: string; /** JSON text, as models write it. */ arguments: string }[];
  /** Searches that the provider has made for it, each with the page that it found: by Responses and Messages. */
  searches?: { query: string; url: string }[];
  /** In OpenAI's words: `stop`, `length`, `content_filter`; `paused` of Anthropic alone; null leaves it out. */
  finishReason?: string | null;
  /** A refusal instead of a text. */
  refusal?: string;
  /** null leaves it out. */
  usage?: { input: number; output: number } | null;
  /** Name of the model that says it answered; else the one asked for. */
  model?: string;
}

export type Answer =
  | ModelAnswer
  /** HTTP as given. */
  | { status: number; headers?: Record<string, string>; body?: JsonValue }
  /** JSON with status 200: what a prediction model answers. */
  | { json: JsonValue }
  /** No answer until the stand-in closes. */
  | { hang: true }
  /** The connection is closed without a word. */
  | { reset: true }
  /** An answer of which so many bytes come: then the connection breaks, or it just stops (`tidily`), or nothing more comes. */
  | { cut: ModelAnswer; afterBytes: number; tidily?: boolean; hangs?: boolean }
  /** An answer whose events come one by one, so many ms apart. */
  | { slowly: ModelAnswer; everyMs: number }
  /** A response that is made in the background, and is there once `isReady`, which is asked at each look. */
  | { inBackground: Outcome; isReady: () => boolean }
  /** A stream of these events, so many ms apart, which stays open after the last one. */
  | { events: readonly string[]; everyMs: number };

type Begun = Extract<Answer, { inBackground: Outcome }>;
type SentAnswer = Exclude<Answer, Begun>;

export interface ProviderRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: JsonObject;
  /** Resolves when nobody waits for the answer any more: it is there, or whoever asked has let go. */
  left: Promise<void>;
}

export interface ProviderStandIn {
  /** `http://127.0.0.1:<port>`; the path says which provider's protocol is spoken: OpenAI's at `/v1`, Mistral's at `/mistral/v1` … */
  url: string;
  batches: BatchesStandIn;
  /** Everything that arrived, in order. */
  requests: ProviderRequest[];
  /** Answers come in the order given, each once; a function answers all that follows, until others are given. */
  reply(...answers: (Answer | ((request: ProviderRequest, index: number) => Answer))[]): void;
  /** Resolves when so many requests have arrived in all. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A provider of language and prediction models on this machine, which counts what it is asked. */
export async function startProviderStandIn(): Promise<ProviderStandIn> {
  const requests: ProviderRequest[] = [];
  const queue: (Answer | ((request: ProviderRequest, index: number) => Answer))[] = [];
  const background = new BackgroundResponses();
  const batches = new BatchesStandIn((request) => {
    const answer = next(request);
    if ('status' in answer) return { status: answer.status, body: answer.body ?? {} };
    if ('text' in answer || 'toolCalls' in answer)
      return { status: 200, body: protocolOf(request).whole(answer, request) };
    return null;
  });
  const waiting: { count: number; resolve: () => void }[] = [];

  const next = (request: ProviderRequest): Answer => {
    const first = queue[0];
    if (typeof first === 'function') return first(request, requests.length - 1);
    queue.shift();
    // An error that isn't retried, so that a test fails instead of hanging.
    return (
      first ?? { status: 400, body: { error: { message: `no more answers (request ${requests.length})` } } }
    );
  };

  const begin = ({ inBackground, isReady }: Begun, request: ProviderRequest): SentAnswer => ({
    json: background.begin(inBackground, isReady, request),
  });

  const server = createServer((incoming, response) => {
    const left = new Promise<void>((resolve) => response.once('close', resolve));
    void readRequest(incoming, left).then((request) => {
      requests.push(request);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
      const refusal = conversationRefusal(request);
      if (refusal !== null) return send(refused(refusal), request, response);
      const known = background.answer(request) ?? batches.answer(request) ?? next(request);
      const begun = 'inBackground' in known ? begin(known, request) : known;
      return send(begun, request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    batches,
    reply: (...answers) => {
      if (typeof queue.at(-1) === 'function') queue.pop();
      queue.push(...answers);
    },
    arrived: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(incoming: IncomingMessage, left: Promise<void>): Promise<ProviderRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isJson = text !== '' && incoming.headers['content-type']?.startsWith('multipart/') !== true;
  const body = isJson ? (JSON.parse(text) as JsonValue) : text;
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: isObject(body) ? body : { value: body },
    left,
  };
}

async function send(answer: SentAnswer, request: ProviderRequest, response: ServerResponse): Promise<void> {
  if ('hang' in answer) return;
  if ('reset' in answer) response.destroy();
  else if ('json' in answer)
    writeHttp(response, 200, { 'content-type': 'application/json' }, JSON.stringify(answer.json));
  else if ('status' in answer) writeHttp(response, answer.status, answer.headers ?? {}, answer.body ?? '');
  else if ('cut' in answer) await writeCut(answer, request, response);
  else if ('events' in answer) await writeEvents(response, answer);
  else if ('slowly' in answer) await writeStream(response, answer.slowly, request, answer.everyMs);
  else if (protocolOf(request).isStreamed(request)) await writeStream(response, answer, request, 0);
  else writeHttp(response, 200, {}, protocolOf(request).whole(answer, request));
}

function refused(message: string): SentAnswer {
  return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
}

function writeHttp(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: JsonValue,
): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

async function writeStream(
  response: ServerResponse,
  answer: ModelAnswer,
  request: ProviderRequest,
  everyMs: number,
): Promise<void> {
  const protocol = protocolOf(request);
  response.writeHead(200, { 'content-type': protocol.streamType });
  for (const piece of protocol.pieces(answer, request)) {
    response.write(piece);
    if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  response.end();
}

async function writeEvents(
  response: ServerResponse,
  { events, everyMs }: Extract<Answer, { events: readonly string[] }>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    response.write(event);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function writeCut(
  { cut, afterBytes, tidily = false, hangs = false }: Extract<Answer, { cut: ModelAnswer }>,
  request: ProviderRequest,
  response: ServerResponse,
): Promise<void> {
  const protocol = protocolOf(request);
  const isStreamed = protocol.isStreamed(request);
  const parts = isStreamed ? protocol.pieces(cut, request) : [JSON.stringify(protocol.whole(cut, request))];
  const whole = Buffer.concat(parts.map((part) => Buffer.from(part)));
  response.writeHead(200, { 'content-type': isStreamed ? protocol.streamType : 'application/json' });
  await new Promise((resolve) => response.write(whole.subarray(0, afterBytes), resolve));
  if (hangs) return;
  if (tidily) response.end();
  else response.destroy();
}

function protocolOf({ path }: ProviderRequest): Protocol {
  if (path.endsWith('/messages')) return anthropic;
  if (path.endsWith('/responses')) return responses;
  if (/:(streamG|g)enerateContent/.test(path)) return google;
  if (/\/converse(-stream)?$/.test(path)) return bedrock;
  if (path.startsWith('/mistral/')) return mistral;
  return path.startsWith('/groq/') ? groq : chatCompletions;
}
