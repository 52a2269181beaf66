import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mcpTools } from '../../../../src/activities/tools/mcp/mcp-tools.js';
import type { ToolHost } from '../../../../src/activities/tools/tool-host.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { waitUntil } from '../../../support/wait-until.js';

let server: Server;
let host: ToolHost;
/** The method whose requests are answered when a test says so. */
let held: string;
let asked: string[];
let answers: (() => void)[];

const results: Record<string, JsonValue> = {
  initialize: {
    ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
    serverInfo: { name: 'mine', version: '1' },
  },
  'tools/list': { tools: [{ name: 'dig', description: 'Digs', inputSchema: { type: 'object' } }] },
};

beforeEach(async () => {
  [held, asked, answers] = ['', [], []];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const { id, method = '' } = (text === '' ? {} : JSON.parse(text)) as { id?: number; method?: string };
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      asked.push(method);
      const answer = (): void => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
      };
      if (method === held) answers.push(answer);
      else answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  host = mcpTools({ mine: { url } }, { env: {} });
});
afterEach(async () => {
  await host.close?.();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Lists the tools of the server, for somebody who may give it up. */
function list(): { names: Promise<string[]>; giveUp: () => void } {
  const giving = new AbortController();
  const names = host
    .list('mcp.mine', giving.signal)
    .then((tools) => (tools ?? []).map(({ source }) => source));
  names.catch(() => undefined);
  return { names, giveUp: () => giving.abort(new Error('I need it no longer')) };
}

const isAsked = (count: number): Promise<unknown> =>
  waitUntil(() => Promise.resolve(answers.length === count));

describe.each(['initialize', 'tools/list'])('callers that wait for the same answer to %s', (method) => {
  beforeEach(() => {
    held = method;
  });

  it('have it, though the first of them gives it up', async () => {
    const first = list();
    await isAsked(1);
    const [second, third] = [list(), list()];
    await new Promise((resolve) => setImmediate(resolve));
    first.giveUp();
    await expect(first.names).rejects.toThrow('I need it no longer');
    answers[0]?.();
    expect(await Promise.all([second.names, third.names])).toEqual([['mcp.mine.dig'], ['mcp.mine.dig']]);
    expect(asked.filter((each) => each === method)).toHaveLength(1);
  });

  it('give it up when all of them do, and who comes after them asks anew', async () => {
    const [first, second] = [list(), list()];
    await isAsked(1);
    first.giveUp();
    second.giveUp();
    for (const { names } of [first, second]) await expect(names).rejects.toThrow('I need it no longer');
    const third = list();
    await isAsked(2);
    answers[1]?.();
    expect(await third.names).toEqual(['mcp.mine.dig']);
  });

  it('that has come is no longer theirs: what they do later ends nothing', async () => {
    const [first, second] = [list(), list()];
    await isAsked(1);
    answers[0]?.();
    await Promise.all([first.names, second.names]);
    first.giveUp();
    second.giveUp();
    expect(await list().names).toEqual(['mcp.mine.dig']);
    expect(asked).toEqual(['initialize', 'tools/list']);
  });
});

it('who has given it up before asks nothing', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(host.list('mcp.mine', gone)).rejects.toThrow('gone');
  expect(await list().names).toEqual(['mcp.mine.dig']);
});
