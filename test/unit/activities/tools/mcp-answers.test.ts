import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EffectClass, ToolAnswer, ToolInvocation } from '../../../../src/contract/tools/outside-tool.js';
import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import { failureOf, runActivity } from '../run-activity.js';

type Reply = { status: number; body?: JsonValue } | { result: JsonValue } | { error: JsonObject };

let server: Server;
let url: string;
/** What is answered to each call of a tool, in their order; the last one again and again. */
let replies: Reply[];
let tools: JsonValue[];
/** With an id each, where the server has any; it forgets them when the text is another one. */
let session: string | null;
let asked: string[];

const usual = (name: string): JsonObject => ({ name, description: 'Digs', inputSchema: { type: 'object' } });

beforeEach(async () => {
  [replies, tools, session, asked] = [[], [usual('dig')], null, []];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const message = (text === '' ? {} : JSON.parse(text)) as { id?: number; method?: string };
      const isOpening = message.method === 'initialize';
      const isKnown = session === null || isOpening || request.headers['mcp-session-id'] === session;
      asked.push(`${message.method ?? request.method ?? ''}${isKnown ? '' : ' of a lost session'}`);
      const reply: Reply = isKnown
        ? replyTo(request.method === 'POST' ? (message.method ?? '') : null)
        : { status: 404, body: { error: 'Session not found' } };
      const { status, body } =
        'status' in reply
          ? { body: null, ...reply }
          : {
              status: message.id === undefined ? 202 : 200,
              body: { jsonrpc: '2.0', id: message.id ?? null, ...reply },
            };
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(isOpening && session !== null ? { 'mcp-session-id': session } : {}),
      });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

function replyTo(method: string | null): Reply {
  if (method === null) return { status: 405 };
  if (method === 'initialize')
    return {
      result: {
        ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
        serverInfo: { name: 'mine', version: '1' },
      },
    };
  if (method === 'tools/list') return { result: { tools } };
  if (method !== 'tools/call') return { result: {} };
  const next = replies.length > 1 ? replies.shift() : replies[0];
  return next ?? { result: { content: [] } };
}

const tries = { attempts: 2, answers: 2, patienceMs: 0, isSaid: true };

const deps = () => ({ deps: { mcpServers: { mine: { url } } } });

function call(effect: EffectClass = 'once'): Promise<ToolAnswer> {
  const invocation: ToolInvocation = {
    ...{ operation: 'call', source: 'mcp.mine.dig', args: { deep: 1 }, effect, call: '3' },
    ...{ procedure: 'main', timeoutMs: 10_000 },
  };
  return runActivity('callTool', { invocation, idempotencyKey: 'key', tries }, deps());
}

const calls = (): string[] => asked.filter((each) => each.startsWith('tools/call'));
const content = [{ type: 'text', text: '{"n": 1}' }];

describe('what a server has clearly answered is no unknown outcome', () => {
  it.each<[string, Reply, RegExp]>([
    ['wrong arguments', { error: { code: -32602, message: 'amount is required' } }, /amount is required/],
    ['no such method', { error: { code: -32601, message: 'Method not found' } }, /Method not found/],
    ['a wrong request', { error: { code: -32600, message: 'Not like that' } }, /Not like that/],
    ['400', { status: 400, body: { error: 'no such field' } }, /answered 400: .*no such field/],
    ['401', { status: 401, body: { error: 'token expired' } }, /answered 401: .*token expired/],
    ['403', { status: 403, body: { error: 'not yours' } }, /answered 403: .*not yours/],
    ['404', { status: 404, body: { error: 'nothing here' } }, /answered 404: .*nothing here/],
    ['410', { status: 410, body: 'gone' }, /answered 410/],
    ['413', { status: 413, body: 'too large' }, /answered 413/],
    ['429', { status: 429, body: { error: 'slow down' } }, /answered 429: .*slow down/],
  ])('%s', async (_, reply, message) => {
    replies = [reply];
    const failure = await failureOf(call());
    expect(failure).toMatchObject({ type: 'tool_failed', nonRetryable: true });
    expect(failure.message).toMatch(message);
    expect(calls()).toHaveLength(1);
  });

  it('no connection', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(call())).toMatchObject({ type: 'tool_failed', nonRetryable: true });
    expect(await failureOf(call('pure'))).toMatchObject({ type: 'tool_failed', nonRetryable: false });
  });

  it.each<[string, Reply]>([
    ['an error of the server', { status: 500, body: { error: 'broken' } }],
    ['an overloaded one', { status: 503 }],
    ['a gateway that waited too long', { status: 504 }],
    ['an error inside', { error: { code: -32603, message: 'Internal error' } }],
    ['an error of its own', { error: { code: -32000, message: 'half done' } }],
  ])('but %s is', async (_, reply) => {
    replies = [reply];
    expect(await failureOf(call())).toMatchObject({ type: 'outcome_unknown' });
  });

  it.each([429, 404])('%s is tried again where that does no harm', async (status) => {
    replies = [{ status }];
    expect(await failureOf(call('idempotent'))).toMatchObject({ type: 'tool_failed', nonRetryable: false });
  });

  it('text in place of the structure that it promised', async () => {
    tools = [{ ...usual('dig'), outputSchema: { type: 'object', required: ['n'] } }];
    replies = [{ result: { content } }];
    expect(await call()).toEqual({ kind: 'done', value: '{"n": 1}' });
  });

  it('a structure that is another one than it promised', async () => {
    tools = [{ ...usual('dig'), outputSchema: { type: 'object', required: ['n'] } }];
    replies = [{ result: { content, structuredContent: { m: 1 } } }];
    expect(await call()).toEqual({ kind: 'done', value: { m: 1 } });
  });
});

describe('an error of a tool', () => {
  it.each<[string, JsonObject, string]>([
    [
      'is told where it is only structured',
      { content: [], structuredContent: { code: 'RATE_LIMITED' } },
      'RATE_LIMITED',
    ],
    [
      'is told in its words',
      { content: [{ type: 'text', text: 'too deep' }], structuredContent: { a: 1 } },
      'too deep',
    ],
    ['may have neither', { content: [], structuredContent: {} }, 'the tool failed, and says no more'],
  ])('%s', async (_, given, message) => {
    replies = [{ result: { isError: true, ...given } }];
    const failure = await failureOf(call());
    expect(failure).toMatchObject({ type: 'tool_failed' });
    expect(failure.message).toContain(message);
  });
});

it.each([
  ['', 0],
  ['QQ==', 1],
  ['QUI=', 2],
  ['QUJD', 3],
  ['QUJ\nD', 3],
])('the size of what %j is in Base64 is told: %s', async (data, bytes) => {
  const image = { type: 'image', mimeType: 'image/png', data };
  const blob = { uri: 'file:///a', mimeType: 'image/png', blob: data };
  replies = [{ result: { content: [image, { type: 'resource', resource: blob }] } }];
  expect(await call()).toEqual({
    kind: 'done',
    value: [
      { type: 'image', mime_type: 'image/png', bytes },
      { type: 'resource', uri: 'file:///a', mime_type: 'image/png', bytes },
    ],
  });
});

describe('a session that the server has forgotten', () => {
  // Each run of an activity is a worker of its own, so the session is lost between listing and calling.
  const losing = (): void => {
    session = 'one';
    tools = [usual('dig')];
    server.prependListener('request', (request) => {
      if (request.headers['mcp-session-id'] === 'one' && asked.includes('notifications/initialized'))
        session = 'two';
    });
  };

  it.each(['pure', 'idempotent'] as const)('is made anew, and a %s call is made again', async (effect) => {
    losing();
    replies = [{ result: { content } }];
    expect(await call(effect)).toEqual({ kind: 'done', value: '{"n": 1}' });
    expect(asked.filter((each) => each === 'initialize')).toHaveLength(2);
    expect(calls().at(-1)).toBe('tools/call');
  });

  it('is told of where the call must not be made again', async () => {
    losing();
    const failure = await failureOf(call('once'));
    expect(failure).toMatchObject({ type: 'tool_failed', nonRetryable: true });
    expect(failure.message).toContain('has forgotten its session, so the call was refused');
    expect(calls()).toEqual(['tools/call of a lost session']);
  });
});

describe('one tool that is described badly', () => {
  const list = async (source: string): Promise<unknown> => {
    const listed = await runActivity('listTools', { sources: [source], tries }, deps());
    return JSON.parse(JSON.stringify(listed));
  };

  it.each<[string, JsonValue]>([
    ['no form of its arguments', { name: 'bad' }],
    ['a list as its form', { name: 'bad', inputSchema: [] }],
    ['another type', { name: 'bad', inputSchema: { type: 'string' } }],
    ['a wrong list of what is required', { name: 'bad', inputSchema: { type: 'object', required: 'n' } }],
    ['no name', { inputSchema: { type: 'object' } }],
    ['nothing at all', null],
  ])('takes no other one away: %s', async (_, bad) => {
    tools = [usual('dig'), bad, usual('fill')];
    const text = JSON.stringify(await list('mcp.mine'));
    expect(text).toContain('mcp.mine.dig');
    expect(text).toContain('mcp.mine.fill');
    expect(text).not.toContain('mcp.mine.bad');
  });

  it.each<[string, JsonObject]>([
    ['a form without its type', { inputSchema: {} }],
    ['a wrong form of what it gives', { outputSchema: { type: 'list' } }],
    ['hints that are none', { annotations: { readOnlyHint: 'yes', title: 5 } }],
    ['a description that is no text', { description: 5 }],
    ['pictures that are none', { icons: 'x' }],
  ])('is there where it can be used: %s', async (_, change) => {
    tools = [usual('dig'), { ...usual('odd'), ...change }];
    expect(JSON.stringify(await list('mcp.mine'))).toContain('mcp.mine.odd');
    replies = [{ result: { content } }];
    expect((await call()).kind).toBe('done');
  });
});
