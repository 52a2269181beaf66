/**
 * A provider that speaks Chat Completions, in a process of its own: says its address, and ends with its input. It does what it is told: `Read 3 pages of 300 words`
 * with the tool `read_page`, one after the other and in whole answers only, then `Write 500 tokens, 50 a second`; left out: one, as fast as it can.
 * `/streamed` says when the first and the last token of the last streamed answer were sent.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { token, type Streamed } from './heard.ts';

interface Message {
  role: string;
  content: unknown;
}

interface Asked {
  pages: number;
  words: number;
  tokens: number;
  perSecond: number;
  /** Pages that it has read since. */
  read: number;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const head = (object: string) => ({ id: 'x', object, created: 0, model: 'gpt-x' });
const streamed: Streamed = { first: 0, last: 0 };

function askedIn(messages: readonly Message[]): Asked {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const question = JSON.stringify(messages[last]?.content);
  const number = (pattern: RegExp, otherwise: number): number =>
    Number(pattern.exec(question)?.[1] ?? otherwise);
  return {
    pages: number(/(\d+) pages/, 0),
    words: number(/(\d+) words/, 1),
    tokens: number(/(\d+) tokens/, 1),
    perSecond: number(/(\d+) a second/, Infinity),
    read: messages.slice(last).filter(({ role }) => role === 'tool').length,
  };
}

function answer({ pages, words, tokens, read }: Asked): object {
  const wants = read < pages;
  const call = { name: 'read_page', arguments: JSON.stringify({ n: read, words }) };
  const message = wants
    ? { content: null, tool_calls: [{ id: `c${read}`, type: 'function', function: call }] }
    : { content: token.repeat(tokens) };
  return {
    ...head('chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...message },
        finish_reason: wants ? 'tool_calls' : 'stop',
      },
    ],
    usage,
  };
}

async function stream(response: ServerResponse, { tokens, perSecond }: Asked): Promise<void> {
  const send = async (rest: object): Promise<void> => {
    const chunk = JSON.stringify({ ...head('chat.completion.chunk'), ...rest });
    if (!response.write(`data: ${chunk}\n\n`)) await once(response, 'drain');
  };
  response.setHeader('content-type', 'text/event-stream');
  Object.assign(streamed, { first: Date.now(), last: 0 });
  for (let i = 0; i < tokens; i++) {
    const early = streamed.first + (i * 1_000) / perSecond - Date.now();
    if (early > 0) await delay(early);
    await send({ choices: [{ index: 0, delta: { content: token }, finish_reason: null }] });
  }
  streamed.last = Date.now();
  await send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  await send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    if (request.url === '/streamed') {
      response.end(JSON.stringify(streamed));
      return;
    }
    const { messages, stream: isStreamed } = JSON.parse(text) as { messages: Message[]; stream?: boolean };
    const asked = askedIn(messages);
    if (isStreamed === true) void stream(response, asked);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(asked)));
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
process.stdin.resume().on('end', () => process.exit(0));
