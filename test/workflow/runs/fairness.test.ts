import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { allServerSettings } from '../../support/temporal-roles.js';
import { startDevServer } from '../../support/test-server.js';

/** The settings of docker-compose.yml, as arguments. */
function composeSettings(): string[] {
  const settings = parse(allServerSettings()) as Record<string, [{ value: unknown }]>;
  return Object.entries(settings).flatMap(([name, [{ value }]]) => [
    '--dynamic-config-value',
    `${name}=${JSON.stringify(value)}`,
  ]);
}

const openRuns = 60;
/** One call at a time: what comes next is the server's choice alone. */
const around = serverWithWorker(() => startDevServer({ extraArgs: composeSettings() }), {
  worker: { maxConcurrentActivityTaskExecutions: 1 },
});

/** Whose calls came, in their order. */
const came: string[] = [];
let model: Server;
beforeAll(async () => {
  model = createServer((request, response) => {
    came.push(request.url ?? '');
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end('{"score": 1}');
    });
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
});
afterAll(() => void model.close());

const source = procedureOf(`local ask = Model { type = "http", endpoint = input.endpoint }
for i = 1, input.calls do ask({ i = i }) end`);

/** Runs of a tenant whose calls the model tells from others by their path. */
function start(who: string, calls: number, fairnessKey: string): Promise<TactusRun> {
  const endpoint = `http://127.0.0.1:${(model.address() as AddressInfo).port}/${who}`;
  return around.tactus.start(source, { calls, endpoint }, { priority: { fairnessKey } });
}

/** How many calls of the hostile tenant come before the last of three calls of somebody else. */
async function callsBefore(who: string, fairnessKey: string): Promise<number> {
  const before = came.length;
  await (await start(who, 3, fairnessKey)).result();
  const since = came.slice(before, came.lastIndexOf(`/${who}`));
  return since.filter((path) => path === '/hostile').length;
}

it('gives a tenant its turn after few calls of one that has a long queue', async () => {
  const hostile = await Promise.all(
    Array.from({ length: openRuns }, () => start('hostile', 1_000, 'hostile')),
  );
  while (came.length < openRuns) await pause(50);
  const apart = await callsBefore('neighbour', 'neighbour');
  const inLine = await callsBefore('in-line', 'hostile');
  await Promise.all(hostile.map((run) => run.terminate()));
  // Its own line is passed once for each of the three calls.
  expect(inLine).toBeGreaterThan(openRuns * 2);
  expect(apart).toBeLessThan(inLine / 3);
});
