import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/activity-deps.js';
import type { HttpRequest } from '../../../src/contract/http/http-request.js';
import type { ToolInvocation } from '../../../src/contract/tools/outside-tool.js';
import type { TellPeopleInput } from '../../../src/contract/people/channels/tell-people.js';
import { JwtBearer } from '../../../src/server/access/jwt-bearer.js';
import { listWorkerTools } from '../../../src/worker/tools/configured-tools.js';
import { awsCredentials } from '../../support/aws-credentials.js';
import {
  startEndless,
  type Endless,
  type EndlessAnswer,
  type EndlessServer,
} from '../../support/endless-server.js';
import { waitUntil } from '../../support/wait-until.js';
import { providersAt } from '../activities/models/providers-at.js';
import { aRequest } from '../contract/human-request.fixture.js';
import { failureOf, makeCall, runActivity } from '../activities/run-activity.js';

const megabyte = 1_000_000;
const tries = { attempts: 1, answers: 1, patienceMs: 0, isSaid: true };
const events = 'text/event-stream';
const timeoutMs = 20_000;

let server: EndlessServer;
afterEach(() => server.close());

/** Whatever is taken at once, and what is on its way. */
const slack = 8 * megabyte;

async function cut(most: number): Promise<void> {
  await waitUntil(async () => server.open() === 0);
  expect(server.taken()).toBeLessThan(most + slack);
  expect(server.taken()).toBeGreaterThan(0);
}

const isEvents = (how: Endless, type: string): EndlessAnswer => ({ how, type });

describe('an MCP server', () => {
  /** Answers what begins a session, and floods with the rest. */
  function answer(flooded: string, flood: EndlessAnswer) {
    return (_path: string, body: string): EndlessAnswer | { json: unknown } | { status: number } => {
      if (body === '') return { status: 405 };
      const { id, method, params } = JSON.parse(body) as {
        id?: number;
        method: string;
        params: { protocolVersion: string };
      };
      if (id === undefined) return { status: 202 };
      const result = (value: unknown): { json: unknown } => ({ json: { jsonrpc: '2.0', id, result: value } });
      const begin = `${flood.type === events ? 'data: ' : ''}{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"`;
      if (method === flooded) return { begin, ...flood };
      if (method === 'initialize')
        return result({
          ...{ protocolVersion: params.protocolVersion, capabilities: { tools: {} } },
          serverInfo: { name: 'evil', version: '1' },
        });
      return result({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
    };
  }

  const deps = (): Partial<ActivityDeps> => ({ mcpServers: { evil: { url: `${server.url}/mcp` } } });

  const problem = async (given: Partial<ActivityDeps>): Promise<string> => {
    const listed = await runActivity('listTools', { sources: ['evil'], tries }, { deps: given });
    return (listed['evil'] as { problem: string }).problem;
  };

  it.each([
    ['tools/list', isEvents('flood', 'application/json'), 6 * megabyte],
    ['tools/list', isEvents('flood', events), 6 * megabyte],
    [
      'tools/list',
      { ...isEvents('flood', events), begin: '', piece: 'data: {}\n\n'.repeat(6_000) },
      24 * megabyte,
    ],
    ['initialize', isEvents('flood', 'application/json'), 6 * megabyte],
    ['initialize', isEvents('flood', events), 6 * megabyte],
  ] as [string, EndlessAnswer, number][])('whose %s has no end: %o', async (method, flood, most) => {
    server = await startEndless(answer(method, flood));
    expect(await problem(deps())).toContain(
      method === 'tools/list' && flood.begin === '' ? 'events' : 'larger than',
    );
    await cut(most);
  });

  it('whose lists have no end is told of by `doctor`, too', async () => {
    server = await startEndless(answer('tools/list', isEvents('flood', events)));
    const { problems } = await listWorkerTools(
      { toolModules: [], ...deps() },
      {
        folder: '/nowhere',
        env: {},
      },
    );
    expect(problems).toMatchObject([{ problem: expect.stringContaining('larger than') as string }]);
    await cut(6 * megabyte);
  });

  it.each([isEvents('flood', 'application/json'), isEvents('flood', events), isEvents('gzip', events)])(
    'whose result has no end: %o',
    async (flood) => {
      server = await startEndless(answer('tools/call', flood));
      const failure = await failureOf(call({ source: 'mcp.evil.echo' }, deps()));
      expect(failure).toMatchObject({ type: 'payload_too_large' });
      if (flood.how === 'flood') await cut(6 * megabyte);
    },
  );

  it.each(['flood', 'silence'] as const)('that refuses in words without an end: %s', async (how) => {
    server = await startEndless(answer('tools/call', { how, type: 'text/plain', status: 400 }));
    const failure = await failureOf(call({ source: 'mcp.evil.echo', timeoutMs: 1_500 }, deps()));
    expect(failure.type).toMatch(/outcome_unknown|payload_too_large/);
  });

  it('that leads elsewhere for ever', async () => {
    server = await startEndless(answer('tools/call', { how: 'redirect' }));
    const failure = await failureOf(call({ source: 'mcp.evil.echo' }, deps()));
    expect(failure.message).toContain('edirect');
    expect(server.asked.filter(({ body }) => body.includes('tools/call'))).toHaveLength(1);
  });

  it('that floods what it says besides is asked for that once, and its tools can be called', async () => {
    let streams = 0;
    const quiet = answer('none', isEvents('flood', events));
    server = await startEndless((path, body) => {
      if (body !== '') return quiet(path, body);
      streams++;
      return { how: 'flood', type: events, begin: '', piece: 'data: {}\n\n'.repeat(6_000) };
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const listed = await runActivity('listTools', { sources: ['evil'], tries }, { deps: deps() });
      expect(listed['evil']).toMatchObject({ tools: [{ source: 'mcp.evil.echo' }] });
      await vi.waitFor(() => expect(streams).toBe(1));
      while (server.open() > 0) await new Promise((soon) => setImmediate(soon));
      // The client would ask for it again and again.
      for (let i = 0; i < 20; i++) await vi.advanceTimersByTimeAsync(5_000);
      expect(streams).toBe(1);
      expect(server.taken()).toBeLessThan(24 * megabyte + slack);
    } finally {
      vi.useRealTimers();
    }
  });

  it('of this machine that writes a line without an end', async () => {
    server = await startEndless(() => ({ status: 204 }));
    const program =
      'process.stdin.once("data", () => { const a = "a".repeat(65536); const f = () => { while (process.stdout.write(a)); }; process.stdout.on("drain", f); f(); })';
    const mcpServers = { evil: { command: process.execPath, args: ['-e', program] } };
    expect(await problem({ mcpServers })).toBe('Connection closed');
  });
});

function call(change: Partial<ToolInvocation>, deps: Partial<ActivityDeps>): Promise<unknown> {
  const invocation: ToolInvocation = {
    ...{
      operation: 'call',
      source: '',
      args: { message: 'hi' },
      effect: 'once',
      call: '3',
      procedure: 'main',
    },
    ...{ timeoutMs, ...change },
  };
  return runActivity('callTool', { invocation, idempotencyKey: 'key', tries, tasks: true }, { deps });
}

describe('an agent', () => {
  it.each([
    ['a2a', 'application/json', 6],
    ['ag_ui', events, 6],
    ['langgraph', 'application/json', 6],
  ] as const)('that speaks %s', async (protocol, type, most) => {
    server = await startEndless(() => ({ how: 'flood', type, begin: type === events ? 'data: ' : '"' }));
    const outsideAgents = { evil: { protocol, url: server.url, graph: 'g' } };
    const failure = await failureOf(call({ source: 'agent.evil', effect: 'idempotent' }, { outsideAgents }));
    expect(failure.message).toContain('larger than');
    await cut(most * megabyte);
  });
});

describe('a model', () => {
  it.each([
    ['openai/gpt-5-mini', 'application/json', 17],
    ['openai/gpt-5-mini', events, 17],
    ['anthropic/claude-haiku-4-5', 'application/json', 17],
    ['anthropic/claude-haiku-4-5', events, 17],
    ['google/gemini-2.5-flash', 'application/json', 17],
    ['mistral/mistral-small-latest', 'application/json', 17],
    ['groq/llama-3.3-70b-versatile', 'application/json', 17],
    ['bedrock/amazon.nova-lite-v1:0', 'application/json', 17],
  ])('%s that answers in %s', async (model, type, most) => {
    server = await startEndless(() => ({ how: 'flood', type, begin: type === events ? 'data: ' : '{"a":"' }));
    const deps: Partial<ActivityDeps> = {
      env: providersAt(server.url),
      ...(type === events ? { onText: () => undefined } : {}),
    };
    const input = { call: makeCall({ model }), idempotencyKey: 'key', tries };
    const failure = await failureOf(runActivity('modelCall', input, { deps }));
    expect(failure).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
    await cut(most * megabyte);
  });

  it('in whose stream no event is a word', async () => {
    server = await startEndless(() => ({
      how: 'flood',
      type: events,
      begin: '',
      piece: ': ping\n\n'.repeat(8_000),
    }));
    const deps = { env: providersAt(server.url), onText: () => undefined };
    const input = { call: makeCall(), idempotencyKey: 'key', tries };
    expect(await failureOf(runActivity('modelCall', input, { deps }))).toMatchObject({
      type: 'payload_too_large',
    });
    await cut(68 * megabyte);
  });

  it('in whose batches nothing ends', async () => {
    server = await startEndless(() => ({ how: 'flood', type: 'application/json' }));
    const calls = [{ call: makeCall(), idempotencyKey: 'run/0.0' }];
    const input = { calls, idempotencyKey: 'run/0.0/batch', tries };
    const failure = await failureOf(
      runActivity('modelBatch', input, { deps: { env: providersAt(server.url) } }),
    );
    expect(failure.message).toContain('larger than');
    await cut(135 * megabyte);
  });

  it('that predicts', async () => {
    server = await startEndless(() => ({ how: 'flood' }));
    const backend = { type: 'http' as const, endpoint: server.url, headers: {}, timeoutMs };
    const input = { prediction: { model: 'churn', backend, input: 1 }, idempotencyKey: 'key', tries };
    const failure = await failureOf(runActivity('predict', input as never));
    expect(failure).toMatchObject({ type: 'payload_too_large' });
    await cut(3 * megabyte);
  });

  it('of SageMaker', async () => {
    for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
    server = await startEndless(() => ({ how: 'flood' }));
    const settings = { endpoint: 'churn', region: 'eu-central-1', base_url: server.url };
    const run = { model: 'churn', backend: { type: 'sagemaker' as const, settings, timeoutMs }, inputs: [1] };
    const failure = await failureOf(runActivity('runModel', { run, idempotencyKey: 'key', tries }));
    expect(failure).toMatchObject({ type: 'payload_too_large' });
    await cut(3 * megabyte);
    vi.unstubAllEnvs();
  });
});

describe('a request', () => {
  const request = (): HttpRequest => ({
    ...{ method: 'GET', url: `${server.url}/a`, headers: {}, body: null, timeoutMs },
  });

  it.each(['flood', 'gzip'] as const)("of a procedure's own: %s", async (how) => {
    server = await startEndless(() => ({ how }));
    const input = { request: request(), name: 'GET a', idempotencyKey: 'key', tries };
    const failure = await failureOf(runActivity('httpRequest', input));
    expect(failure).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
    if (how === 'flood') await cut(3 * megabyte);
  });

  it('of a tool', async () => {
    server = await startEndless(() => ({ how: 'flood' }));
    const failure = await failureOf(call({ source: 'http.evil', request: request() }, {}));
    expect(failure).toMatchObject({ type: 'payload_too_large' });
    await cut(3 * megabyte);
  });
});

it('a channel', async () => {
  server = await startEndless(() => ({ how: 'flood', type: 'text/plain', status: 400 }));
  const input: TellPeopleInput = {
    ...{ channel: 'ops', key: 'k', why: 'asked', number: 1, procedure: 'orders', to: ['ann'], told: [] },
    request: { ...aRequest(), whole: true },
  };
  const deps = { env: { OPS: server.url }, channels: { ops: { slack: { url: 'OPS' } } } };
  const failure = await failureOf(runActivity('tellPeople', input, { deps }));
  expect(failure.message).toContain('answered 400');
  await cut(megabyte);
});

describe('an issuer of tokens', () => {
  const token = ['{"alg":"RS256"}', '{}', 'a']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
  const options = { audience: 'a', nameClaim: 'sub', served: [] };

  it('of which nobody learns where its keys are', async () => {
    server = await startEndless(() => ({ how: 'flood' }));
    const bearer = new JwtBearer({ ...options, issuer: server.url });
    await expect(bearer.identify(token)).rejects.toMatchObject({ code: 'server_unreachable' });
    await cut(megabyte);
  });

  it.each(['flood', 'gzip', 'redirect'] as const)('whose keys have no end: %s', async (how) => {
    server = await startEndless(() => ({ how, begin: '{"keys":["' }));
    const bearer = new JwtBearer({ ...options, issuer: server.url, jwks: `${server.url}/keys` });
    await expect(bearer.identify(token)).rejects.toMatchObject({ code: 'server_unreachable' });
    expect(server.asked).toHaveLength(1);
    if (how === 'flood') await cut(megabyte);
  });
});
