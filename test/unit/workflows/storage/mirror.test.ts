import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mirrorFlag } from '../../../../src/contract/names.js';
import { Mirror, type MirrorUpdate } from '../../../../src/workflows/storage/mirror.js';
import type { RunFacts } from '../../../../src/workflows/runs/views.js';
import { aCheckpoint } from '../../log/checkpoint.fixture.js';

const machine = vi.hoisted(() => ({ now: 1_000, isReplaying: false, told: [] as unknown[] }));

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  proxySinks: () =>
    ({ tactusMirror: { update: (change: MirrorUpdate) => void machine.told.push(change) } }) as never,
  workflowInfo: () => ({ unsafe: { now: () => machine.now, isReplaying: machine.isReplaying } }) as never,
}));

/** How often somebody put a state together. */
let states: number;
let log: RunFacts['log'];

const facts: RunFacts = {
  ...{ runId: 'r', procedure: 'p', status: 'running', ending: null, pending: [], waits: [], children: [] },
  ...{ shown: [], startedAt: 0, started: { start: {}, engine: 3, startedAt: 0, seed: '' } },
  usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  budgets: [],
  unheard: [],
  get log() {
    return log;
  },
  get ended() {
    return log.length;
  },
  get state() {
    return { n: ++states };
  },
};

/** Adds a checkpoint, some ms after the last. */
function goOn(mirror: Mirror, ms: number): void {
  machine.now += ms;
  log = [...log, aCheckpoint(String(log.length))];
  mirror.gather(facts);
}

const told = (): [number, number][] =>
  (machine.told as MirrorUpdate[]).map(({ from, checkpoints }) => [from, checkpoints.length]);

beforeEach(() => {
  Object.assign(globalThis, { [mirrorFlag]: true });
  Object.assign(machine, { now: 1_000, isReplaying: false, told: [] });
  [states, log] = [0, []];
});
afterEach(() => void Reflect.deleteProperty(globalThis, mirrorFlag));

it('puts the state together once for what comes in quick succession', () => {
  const mirror = new Mirror(0, false);
  for (let i = 0; i < 100; i++) goOn(mirror, 5);
  mirror.tell(facts);
  expect(told()).toEqual([
    [0, 1],
    [1, 40],
    [41, 40],
    [81, 19],
  ]);
  expect(states).toBe(4);
});

it('tells at once what has gathered where the run waits, and nothing twice', () => {
  const mirror = new Mirror(0, false);
  for (let i = 0; i < 3; i++) goOn(mirror, 1);
  mirror.tell(facts);
  mirror.tell(facts);
  goOn(mirror, 1);
  mirror.tell(facts);
  expect(told()).toEqual([
    [0, 1],
    [1, 2],
    [3, 1],
  ]);
});

it('puts nothing together where nobody stores it', () => {
  Reflect.deleteProperty(globalThis, mirrorFlag);
  for (const tellsAgain of [true, false]) {
    log = [];
    const mirror = new Mirror(0, tellsAgain);
    for (let i = 0; i < 10; i++) goOn(mirror, 300);
    mirror.update(facts);
    expect([states, told(), mirror.told]).toEqual([0, [], 10]);
  }
});

it('puts nothing together on replay, and goes on behind it', () => {
  machine.isReplaying = true;
  const mirror = new Mirror(0, false);
  for (let i = 0; i < 10; i++) goOn(mirror, 1);
  expect([states, told()]).toEqual([0, []]);
  machine.isReplaying = false;
  goOn(mirror, 1);
  expect([states, told()]).toEqual([1, [[10, 1]]]);
});
