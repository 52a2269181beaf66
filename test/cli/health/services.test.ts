import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { healthUrl, startService as service } from '../../support/service-process.js';
import { waitUntil } from '../../support/wait-until.js';

/** `worker` and `serve` as an orchestrator, a log collector and Prometheus see them. */
async function probe(
  url: string,
): Promise<[number, { status: string; checks: { name: string; status: string; detail: string | null }[] }]> {
  const answer = await fetch(url);
  return [answer.status, (await answer.json()) as never];
}

const failing = async (url: string): Promise<string[]> => {
  const [, { checks }] = await probe(url);
  return checks.flatMap(({ name, status }) => (status === 'failed' ? [name] : []));
};

/** A provider whose answer takes 3 s. */
async function slowProvider(): Promise<{ url: string; asked: Promise<void>; close: () => Promise<void> }> {
  let tell = (): void => undefined;
  const asked = new Promise<void>((done) => (tell = done));
  const http = createServer((_request, response) => {
    tell();
    const message = { role: 'assistant', content: 'done' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const body = { id: 'a', object: 'chat.completion', created: 1, model: 'gpt-x', usage };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    setTimeout(
      () => response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...body, choices })),
      3_000,
    );
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    asked,
    close: () => new Promise((done) => void http.close(() => done())),
  };
}

let provider: ProviderStandIn;
let server: TestServer;
beforeAll(async () => {
  provider = await startProviderStandIn();
  server = await startDevServer();
});
afterAll(async () => {
  await server.stop();
  await provider.close();
});

const folderAt = (address: string): CliFolder => {
  const folder = cliFolder({
    ...{
      TEMPORAL_ADDRESS: address,
      OPENAI_API_KEY: 'key-canary-1234567890',
      OPENAI_BASE_URL: `${provider.url}/v1`,
    },
  });
  folder.write(
    'ask.tac',
    'writer = Agent { model = "openai/gpt-x" }\nfunction main() return writer("content-canary").output end',
  );
  return folder;
};

describe('worker', () => {
  it('is ready while it polls, not when Temporal is gone, and is alive all the time', async () => {
    const port = await freePort();
    let own: TestServer | null = await startDevServer({ port });
    const { child, url, ended } = await service(
      folderAt(`127.0.0.1:${port}`),
      ['worker', '--health', '0'],
      healthUrl,
    );
    try {
      await waitUntil(async () => (await probe(`${url}/readyz`))[0] === 200);
      expect(await probe(`${url}/livez`)).toEqual([200, { status: 'ok' }]);
      await own.stop();
      own = null;
      await waitUntil(async () => (await probe(`${url}/readyz`))[0] === 503);
      expect(await failing(`${url}/readyz`)).toEqual(['temporal']);
      expect((await probe(`${url}/livez`))[0]).toBe(200);
      own = await startDevServer({ port });
      await waitUntil(async () => (await probe(`${url}/readyz`))[0] === 200);
      expect((await fetch(`${url}/nothing`)).status).toBe(404);
      expect((await fetch(`${url}/readyz`, { method: 'POST', body: 'x' })).status).toBe(405);
    } finally {
      child.kill('SIGTERM');
      await ended;
      await own?.stop();
    }
  });

  it('lets a call end within its grace period, takes no new one meanwhile, and says so', async () => {
    const { asked, url: slowModel, close } = await slowProvider();
    const folder = folderAt(server.env.address);
    Object.assign(folder.command.env, { OPENAI_BASE_URL: slowModel });
    folder.write('.tactus/config.yml', 'worker: {grace_period: 60s, health: 0}\n');
    const { child, url, ended, lines } = await service(
      folder,
      ['worker', '--task-queue', 'drained'],
      healthUrl,
    );
    await waitUntil(async () => (await probe(`${url}/readyz`))[0] === 200);
    const started = await folder.runHere(['start', 'ask.tac', '--id', 'drained', '--task-queue', 'drained']);
    expect(started.code, started.stderr).toBe(0);
    await asked;
    child.kill('SIGTERM');
    await waitUntil(async () => (await failing(`${url}/readyz`)).includes('drain'));
    expect((await probe(`${url}/livez`))[0]).toBe(200);
    expect(await ended).toBe(0);
    await close();
    // The call ended, and its answer is recorded: no second one is paid for.
    const { events } = await server.client.workflow.getHandle('drained').fetchHistory();
    expect((events ?? []).filter((event) => event.activityTaskCompletedEventAttributes != null)).toHaveLength(
      1,
    );
    for (const line of lines()) {
      expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(['debug', 'info', 'warn', 'error']).toContain(line.level);
    }
    expect(JSON.stringify(lines())).not.toMatch(/canary/);
  });

  it('serves the metrics of the SDK and ours to Prometheus', async () => {
    const port = await freePort();
    const folder = folderAt(server.env.address);
    const args = ['worker', '--task-queue', 'measured', '--health', '0', '--metrics', `127.0.0.1:${port}`];
    const { child, url, ended } = await service(folder, args, healthUrl);
    try {
      await waitUntil(async () => (await probe(`${url}/readyz`))[0] === 200);
      provider.reply(() => ({ text: 'content-canary', usage: { input: 12, output: 3 } }));
      const ran = await folder.runHere(['run', 'ask.tac', '--task-queue', 'measured', '--json']);
      expect(ran.json(), ran.stderr).toMatchObject({ status: 'completed' });
      const text = await waitUntil(async () => {
        const said = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return said.includes('tactus_model_tokens') ? said : null;
      });
      const tags = 'model="openai/gpt-x",namespace="default",';
      expect(text).toMatch(/^temporal_worker_task_slots_available\{.*task_queue="measured".*\} \d+$/m);
      expect(text).toContain(`tactus_model_calls{${tags}outcome="ok",task_queue="measured"} 1`);
      expect(text).toMatch(/^tactus_model_tokens\{direction="input",.*\} 12$/m);
      expect(text).toMatch(/^tactus_model_tokens\{direction="output",.*\} 3$/m);
      const own = 'namespace="default",procedure="ask",';
      expect(text).toContain(`tactus_runs_started{${own}task_queue="measured"} 1`);
      await waitUntil(async () => {
        const said = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return said.includes(`tactus_runs_ended{${own}status="completed",task_queue="measured"} 1`);
      });
      expect(text).toMatch(/^tactus_checkpoints\{.*outcome="ok",.*type="model_call"\} 1$/m);
      expect(text).toMatch(/^tactus_lua_instructions\{.*\} [1-9]\d*$/m);
      expect(text).toMatch(/^tactus_ready\{check="polling"\} [01]$/m);
      // Buckets in seconds: the SDK's own begin at 50, for milliseconds.
      expect(text).toMatch(/^tactus_model_call_time_bucket\{.*le="0\.1"\} [01]$/m);
      expect(text).not.toContain('canary');
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  });

  it('has the slots, the cache and the deployment that configuration says', async () => {
    const port = await freePort();
    const folder = folderAt(server.env.address);
    folder.write(
      '.tactus/config.yml',
      `worker: {workflow_tasks: 7, activities: 5, cached_runs: 3, health: 0, metrics: ${port}}\n`,
    );
    const env = { TEMPORAL_DEPLOYMENT_NAME: 'orders', TEMPORAL_WORKER_BUILD_ID: 'build-1' };
    Object.assign(folder.command.env, env);
    const { child, url, ended } = await service(folder, ['worker', '--task-queue', 'tuned'], healthUrl);
    try {
      await waitUntil(async () => (await probe(`${url}/readyz`))[0] === 200);
      const slots = await waitUntil(async (): Promise<Record<string, number> | null> => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        const found: [string, number][] = [
          ...text.matchAll(/^temporal_worker_task_slots_available\{(.*)\} (\d+)$/gm),
        ].map(([, tags = '', free]) => [/worker_type="(\w+)"/.exec(tags)?.[1] ?? '', Number(free)]);
        return found.length > 1 ? Object.fromEntries(found) : null;
      });
      expect(slots).toMatchObject({ WorkflowWorker: 7, ActivityWorker: 5 });
      const { workerDeploymentInfo } = await waitUntil(() =>
        server.client.workflowService.describeWorkerDeployment({
          namespace: 'default',
          deploymentName: 'orders',
        }),
      );
      expect(
        workerDeploymentInfo?.versionSummaries?.map(({ deploymentVersion }) => deploymentVersion?.buildId),
      ).toEqual(['build-1']);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  });
});

describe('serve', () => {
  it('counts its requests, and the runs and requests that are open in the index', async () => {
    const token = 'a-token-of-anns-that-is-long-enough';
    const port = await freePort();
    const folder = folderAt(server.env.address);
    Object.assign(folder.command.env, {
      TACTUS_TEMPORAL_INDEX: join(folder.path, 'index.sqlite'),
      ANN: token,
    });
    folder.write(
      'confirm.tac',
      'function main() Human.approve({message = "content-canary", approvers = {"group:finance", "person-canary"}}) end',
    );
    folder.write(
      '.tactus/config.yml',
      'groups: {finance: [flora-canary, fred-canary]}\nserver: {tokens: [{name: ann, secret: ANN, roles: [read]}]}\n',
    );
    const queue = ['--task-queue', 'asking'];
    const worker = await service(folder, ['worker', ...queue, '--health', '0'], healthUrl);
    const started = await folder.runHere(['start', 'confirm.tac', '--id', 'run-canary', ...queue]);
    expect(started.code, started.stderr).toBe(0);
    const args = ['serve', '--port', '0', '--metrics', String(port)];
    await waitUntil(async () => (await folder.runHere(['pending', '--json'])).stdout.includes('run-canary'));
    const { child, url, ended } = await service(folder, args, /"?(http:\/\/127\.0\.0\.1:\d+)"?/);
    try {
      const headers = { authorization: `Bearer ${token}` };
      const run = `${url}/api/v1/namespaces/default/runs/run-canary`;
      expect((await fetch(run, { headers })).status).toBe(200);
      const text = await waitUntil(async () => {
        const said = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return said.includes('tactus_requests_oldest') && said.includes('tactus_http_requests') ? said : null;
      });
      expect(text).toContain(
        'tactus_runs_open{namespace="default",procedure="confirm",status="waiting_for_human"} 1',
      );
      expect(text).toContain(
        'tactus_requests_open{age="under_1h",approver="group:finance",namespace="default"} 1',
      );
      expect(text).toMatch(
        /^tactus_http_requests\{method="GET",route="\/api\/v1\/namespaces\/:namespace\/runs\/:run",status="200"\} 1$/m,
      );
      expect(text).toMatch(/^tactus_http_request_time_count\{/m);
      expect(text).toMatch(/^tactus_ready\{check="lists"\} 1$/m);
      expect(text).not.toContain('canary');
    } finally {
      child.kill('SIGTERM');
      worker.child.kill('SIGTERM');
      await Promise.all([ended, worker.ended]);
    }
  });

  it('answers probes by address to anybody, keeps serving while load balancers notice, and logs each request', async () => {
    const folder = folderAt(server.env.address);
    folder.write(
      '.tactus/config.yml',
      'server: {host: 0.0.0.0, hosts: [runs.example.org], drain_delay: 3s, tokens: [{name: ann, secret: ANN}]}\n',
    );
    Object.assign(folder.command.env, { ANN: 'a-token-of-anns-that-is-long-enough' });
    const { child, url, ended, lines } = await service(
      folder,
      ['serve', '--port', '0'],
      /"?(http:\/\/0\.0\.0\.0:\d+)"?/,
    );
    const port = Number(new URL(url).port);
    const ask = (
      path: string,
      headers: Record<string, string> = {},
    ): Promise<[number | undefined, unknown]> =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path, headers }, (answer) => {
          answer.resume();
          resolve([answer.statusCode, answer.headers['x-request-id']]);
        })
          .on('error', reject)
          .end();
      });
    await waitUntil(async () => (await ask('/readyz'))[0] === 200);
    expect((await ask('/livez', { host: '10.1.2.3:8700' }))[0]).toBe(200);
    expect((await ask('/livez', { host: 'evil.example.org' }))[0]).toBe(421);
    expect(
      await ask('/api/v1/me?token=canary', { host: 'runs.example.org', 'x-request-id': 'req-1' }),
    ).toEqual([401, 'req-1']);
    expect(lines()).toContainEqual({
      ...{ time: expect.any(String) as string, level: 'debug', message: 'GET /api/v1/me 401' },
      ...{
        request_id: 'req-1',
        method: 'GET',
        path: '/api/v1/me',
        status: 401,
        ms: expect.any(Number) as number,
      },
    });
    expect((await ask('/livez', { 'x-request-id': 'a b' }))[1]).toMatch(/^[\w-]{36}$/);
    child.kill('SIGTERM');
    await waitUntil(async () => (await ask('/readyz'))[0] === 503);
    expect((await ask('/livez'))[0]).toBe(200);
    expect(await ended).toBe(0);
    expect(JSON.stringify(lines())).not.toContain('canary');
  });
});
