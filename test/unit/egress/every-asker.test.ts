import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/activity-deps.js';
import type { TactusActivities } from '../../../src/contract/activities.js';
import type { HttpRequest } from '../../../src/contract/http/http-request.js';
import type { ToolInvocation } from '../../../src/contract/tools/outside-tool.js';
import type { EgressPolicy } from '../../../src/egress/egress-policy.js';
import { awsCredentials } from '../../support/aws-credentials.js';
import { startEndless, type EndlessServer } from '../../support/endless-server.js';
import { providersAt } from '../activities/models/providers-at.js';
import { failureOf, makeCall, runActivity, textOf } from '../activities/run-activity.js';
import { aRequest } from '../contract/human-request.fixture.js';

const tries = { attempts: 1, answers: 1, patienceMs: 0, isSaid: true };
const timeoutMs = 5_000;
const keys = { idempotencyKey: 'key', tries };

type Asked = {
  [K in keyof TactusActivities]: [K, Parameters<TactusActivities[K]>[0]];
}[keyof TactusActivities];

interface Asker {
  asks: Asked;
  deps?: Partial<ActivityDeps>;
}

const requestTo = (url: string): HttpRequest => ({ method: 'GET', url, headers: {}, body: null, timeoutMs });

function toolCall(change: Partial<ToolInvocation>): Asked {
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
  return ['callTool', { invocation, ...keys, tasks: true }];
}

const agent =
  (protocol: 'a2a' | 'ag_ui' | 'langgraph') =>
  (url: string): Asker => ({
    asks: toolCall({ source: 'agent.there' }),
    deps: { outsideAgents: { there: { protocol, url, graph: 'g' } } },
  });

const model =
  (name: string) =>
  (url: string): Asker => ({
    asks: ['modelCall', { call: makeCall({ model: name }), ...keys }],
    deps: { env: providersAt(url) },
  });

/** All that ask somebody in a worker's name. */
const askers: Record<string, (url: string) => Asker> = {
  http_client: (url) => ({ asks: ['httpRequest', { request: requestTo(url), name: 'GET a', ...keys }] }),
  'a tool over HTTP': (url) => ({ asks: toolCall({ source: 'http.a', request: requestTo(url) }) }),
  'an MCP server': (url) => ({
    asks: toolCall({ source: 'mcp.there.echo' }),
    deps: { mcpServers: { there: { url } } },
  }),
  'an agent that speaks A2A': agent('a2a'),
  'an agent that speaks AG-UI': agent('ag_ui'),
  'an agent of LangGraph': agent('langgraph'),
  ...Object.fromEntries(
    [
      ...['openai/gpt-5-mini', 'anthropic/claude-haiku-4-5', 'google/gemini-2.5-flash'],
      ...['mistral/mistral-small-latest', 'groq/llama-3.3-70b-versatile', 'bedrock/amazon.nova-lite-v1:0'],
    ].map((name) => [name, model(name)]),
  ),
  'a batch of a model': (url) => ({
    asks: ['modelBatch', { calls: [{ call: makeCall(), idempotencyKey: 'run/0.0' }], ...keys }],
    deps: { env: providersAt(url) },
  }),
  'a model over HTTP': (url) => ({
    asks: [
      'predict',
      {
        prediction: {
          model: 'churn',
          backend: { type: 'http', endpoint: url, headers: {}, timeoutMs },
          input: 1,
        },
        ...keys,
      } as never,
    ],
  }),
  'a model of SageMaker': (url) => ({
    asks: [
      'runModel',
      {
        run: {
          ...{ model: 'churn', inputs: [1] },
          backend: {
            ...{ type: 'sagemaker', timeoutMs },
            settings: { endpoint: 'churn', region: 'eu-central-1', base_url: url },
          },
        },
        ...keys,
      },
    ],
  }),
  'a channel': (url) => ({
    asks: [
      'tellPeople',
      {
        ...{ channel: 'ops', key: 'k', why: 'asked', number: 1, procedure: 'orders', to: ['ann'], told: [] },
        request: { ...aRequest(), whole: true },
      },
    ],
    deps: { env: { OPS: url }, channels: { ops: { slack: { url: 'OPS' } } } },
  }),
  "a request's callback": (url) => ({
    asks: [
      'tellPeople',
      {
        ...{
          channel: 'callback',
          key: 'k',
          why: 'asked',
          number: 1,
          procedure: 'orders',
          to: ['ann'],
          told: [],
        },
        ...{ request: { ...aRequest(), whole: true }, callbackUrl: `${url}/hook` },
      },
    ],
    deps: { env: { HOOK: 'a secret of 24 bytes or more' }, webhookHosts: { [url]: 'HOOK' } },
  }),
};

let server: EndlessServer;
beforeEach(async () => {
  for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
  server = await startEndless(() => ({ status: 404 }));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

async function refusalOf(asker: Asker, egressPolicy: EgressPolicy): Promise<string> {
  const [name, input] = asker.asks;
  const deps = { ...asker.deps, egressPolicy };
  return textOf(await failureOf(runActivity(name, input as never, { deps })));
}

describe.each(Object.entries(askers))('%s', (_name, asker) => {
  it('is refused by the worker’s policy, for good, and nothing is sent', async () => {
    const local = server.url.replace('127.0.0.1', 'localhost');
    const refused: [string, EgressPolicy][] = [
      [server.url, { profile: 'production' }],
      [local, { profile: 'production' }],
      [local, { deny: ['localhost'] }],
      [local, { allow: ['api.example.com'] }],
      [server.url, { deny: ['127.0.0.0/8'] }],
      [server.url, { allow: [`127.0.0.1:${Number(new URL(server.url).port) + 1}`] }],
    ];
    for (const [url, policy] of refused) {
      const said = await refusalOf(asker(url), policy);
      expect(said).toContain("The worker's egress policy doesn't let");
      expect(said).not.toContain('outcome_unknown');
    }
    expect(server.asked).toEqual([]);
  });

  it('is let through where the policy names it', async () => {
    const policy: EgressPolicy = { profile: 'production', allow: ['127.0.0.1'] };
    const [name, input] = asker(server.url).asks;
    const deps = { ...asker(server.url).deps, egressPolicy: policy };
    await runActivity(name, input as never, { deps }).catch(() => undefined);
    expect(server.asked.length).toBeGreaterThan(0);
  });
});

it('a policy that is none is told as the worker begins', async () => {
  const asker = askers['http_client']?.(server.url) as Asker;
  await expect(
    runActivity(asker.asks[0], asker.asks[1] as never, { deps: { egressPolicy: { deny: ['10.0.0.0/99'] } } }),
  ).rejects.toMatchObject({ code: 'config_invalid' });
});
