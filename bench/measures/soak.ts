import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { startRoles, type RolesProcess } from '../servers/start-servers.ts';
import { each } from './each.ts';
import { Orders, taskQueue, type OrderType } from './soak-orders.ts';
import { soakPart, type SoakPart } from './soak-parts.ts';

export interface Load {
  /** Runs that wait for a person all the time. */
  suspended: number;
  /** Runs that are under way at each moment. All together do 10 steps a second. */
  active: number;
  /** How long processes are killed by turns. Before that, a quarter of it is calm. */
  minutes: number;
}

export interface Soaked {
  kills: number;
  runs: number;
  /** Runs that didn't end well, and steps that were never done. */
  lost: number;
  steps: number;
  /** Calls of steps beyond their first. */
  again: number;
  /** From a decision to the end of its run, one step later, in ms. */
  calm: number[];
  killed: number[];
  /** Of runs that do one step after the other, many at once, while nothing is killed. */
  stepsPerSecond: number;
  /** Memory of both workers. */
  bytes: number;
  /** What collector and Prometheus have at the end. */
  seen: { runs: number; series: number };
}

export interface Kind {
  type: OrderType;
  /** File of the workflows written by hand. */
  bundle: string;
  /** Where commands run. */
  folder: string;
}

const activeSteps = 10;
const activePerSecond = 10;
const killEveryMs = 10_000;
const decideEveryMs = 500;
const busy = { runs: 200, steps: 10, atOnce: 20 };
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A server with a process for each service, two workers and for procedures `serve`: all of them are killed by turns under load. Procedures send their traces
 * to a collector, and their metrics are scraped each second.
 */
export async function soak(kind: Kind, { suspended, active, minutes }: Load): Promise<Soaked> {
  const roles = await startRoles();
  const { workers, others } = partsOf(kind, roles);
  for (const part of [...workers, ...others]) await part.start();
  const client = new Client({ connection: await Connection.connect({ address: roles.address }) });
  const orders = await Orders.open(client, kind.type);

  const waiting: WorkflowHandle[] = [];
  const wait = async (): Promise<void> =>
    void waiting.push(await orders.start({ steps: 1, pause: 0, asks: true }));
  await each(times(suspended), wait, 50);
  while (orders.steps < suspended) await pause(200);

  const calmMs = minutes * 15_000;
  const end = Date.now() + calmMs + minutes * 60_000;
  const underWay = keepActive(orders, active, end);
  const calm = await decideUntil(Date.now() + calmMs, orders, waiting);
  const bytes = workers.reduce((sum, worker) => sum + worker.bytes(), 0);
  const [kills, killed] = await Promise.all([
    killUntil(end, roles, [...workers, ...others]),
    decideUntil(end, orders, waiting),
  ]);
  await underWay;

  const [before, began] = [orders.steps, performance.now()];
  const work = async (): Promise<void> =>
    orders.ended(await orders.start({ steps: busy.steps, pause: 0, asks: false }));
  await each(times(busy.runs), work, busy.atOnce);
  const stepsPerSecond = (orders.steps - before) / ((performance.now() - began) / 1_000);

  await each(times(waiting.length), () => decideNext(orders, waiting), 50);
  const { started, steps, again } = orders;
  const soaked = { runs: started.length, steps, again, lost: await orders.lost() };
  const seen = await roles.seen();
  for (const part of [...workers, ...others]) await part.kill();
  await client.connection.close();
  await roles.stop();
  orders.close();
  return { ...soaked, kills, calm, killed, stepsPerSecond, bytes, seen };
}

const times = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** So many runs at each moment, which begin one after the other. Those that begin late have fewer steps, and end soon after `end`. */
async function keepActive(orders: Orders, active: number, end: number): Promise<void> {
  const seconds = active / activePerSecond;
  const loop = async (_: unknown, i: number): Promise<void> => {
    await pause((i / active) * Math.min(seconds * 1_000, end - Date.now()));
    for (let left = end - Date.now(); left > 0; left = end - Date.now()) {
      const steps = Math.min(activeSteps, Math.ceil(left / 1_000 / seconds));
      await orders.ended(await orders.start({ steps, pause: seconds, asks: false }));
    }
  };
  await Promise.all(Array.from({ length: active }, loop));
}

/** Decides one run after the other. @returns how long each took to its end, in ms */
async function decideUntil(end: number, orders: Orders, waiting: WorkflowHandle[]): Promise<number[]> {
  const took: number[] = [];
  while (Date.now() < end && waiting.length > 0) {
    const began = performance.now();
    await decideNext(orders, waiting);
    took.push(performance.now() - began);
    await pause(decideEveryMs);
  }
  return took;
}

async function decideNext(orders: Orders, waiting: WorkflowHandle[]): Promise<void> {
  const handle = waiting.shift();
  if (handle === undefined) return;
  await orders.answer(handle);
  await orders.ended(handle);
}

/** Kills one after the other, each when the last has been back for a while. @returns how many */
async function killUntil(end: number, roles: RolesProcess, own: readonly SoakPart[]): Promise<number> {
  const restarts = [
    ...roles.parts.map((name) => () => roles.restart(name)),
    ...own.map((part) => async () => {
      await part.kill();
      await part.start();
    }),
  ];
  for (let kills = 0; ; kills++) {
    await pause(killEveryMs);
    if (Date.now() + killEveryMs > end) return kills;
    await restarts[kills % restarts.length]?.();
  }
}

function partsOf(
  { type, bundle, folder }: Kind,
  roles: RolesProcess,
): { workers: SoakPart[]; others: SoakPart[] } {
  if (type === 'nativeOrder') {
    const names = ['first worker', 'second worker'];
    const script = join(import.meta.dirname, 'soak-worker.ts');
    const command = [script, roles.address, taskQueue, bundle];
    return {
      workers: names.map((name) => soakPart(name, command, { cwd: root, isReady: /works/ })),
      others: [],
    };
  }
  mkdirSync(join(folder, '.tactus'), { recursive: true });
  // `serve` wants somebody to be known to it; nobody asks it anything.
  const token = `{ name: nobody, hash: 'sha256:${'0'.repeat(64)}' }`;
  const config = `index: ${roles.database}\nserver: { tokens: [${token}] }\n`;
  writeFileSync(join(folder, '.tactus/config.yml'), config);
  const command = [join(root, 'bin/tactus-temporal.mjs'), '--address', roles.address];
  const [first, second, third] = roles.metrics;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: roles.traces };
  const part = (name: string, args: readonly string[], port: number | undefined, isReady: RegExp): SoakPart =>
    soakPart(name, [...command, ...args, '--metrics', String(port)], { cwd: folder, env, isReady });
  return {
    workers: [
      part('first worker', ['worker'], first, /Working for/),
      part('second worker', ['worker'], second, /Working for/),
    ],
    others: [part('serve', ['serve', '--port', '0', '--json'], third, /"url"/)],
  };
}
