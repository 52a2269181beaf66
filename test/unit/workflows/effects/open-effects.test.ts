import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EffectRequest } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { Effect } from '../../../../src/contract/effects/effects.js';
import { defaultLimits, maxTaskBytes } from '../../../../src/contract/runs/limits.js';
import type { OpenEffect, RunContext } from '../../../../src/workflows/effects/effect-kind.js';
import { LocalWork } from '../../../../src/workflows/effects/local-work.js';
import { failedTask, type LocalTask } from '../../../../src/workflows/effects/local-tasks.js';
import { OpenEffects } from '../../../../src/workflows/effects/open-effects.js';
import { Sequence } from '../../../../src/workflows/sequence.js';
import { begun, type Begun } from '../temporal-stand-in.js';

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  ...(await import('../temporal-stand-in.js')).temporal,
}));

let now: number;
let sequence: Sequence;
let localWork: LocalWork;
let effects: OpenEffects;
/** Waits for events, answered by the test. */
let mailbox: Map<string, OpenEffect>;

const tableWith = (deadlines: Record<string, number>, engine = 9): OpenEffects =>
  new OpenEffects(
    {
      ...{
        engine,
        runId: 'run',
        firstExecutionId: 'first',
        limits: defaultLimits,
        start: {},
        sequence,
        localWork,
        now: () => now,
      },
      children: { open: [], isUnsettled: false },
      watches: { underWay: 0 },
      pausing: { holdsBack: () => false, isOn: false, standsStill: false },
      holding: {
        size: 0,
        has: () => false,
        targetOf: () => undefined,
        drop: () => undefined,
        terms: () => ({}),
      },
      inbox: {
        verifying: { isUnderWay: false },
        delivering: { isUnderWay: false, isSending: false, hold: () => undefined, release: () => undefined },
      },
      kept: new Map([
        [
          'event',
          {
            wait: (opened: OpenEffect) =>
              opened.position === 'there'
                ? opened.answer({ value: 1 })
                : mailbox.set(opened.position, opened),
            forget: () => undefined,
            told: () => undefined,
          },
        ],
      ]),
    } as unknown as RunContext,
    deadlines,
    () => undefined,
  );

beforeEach(() => {
  begun.length = 0;
  now = 1_000;
  sequence = new Sequence();
  localWork = new LocalWork(sequence, true, true);
  mailbox = new Map();
  effects = tableWith({});
});

const asking = (position: string, effect: Effect, bytes = 10): EffectRequest => ({
  ...{
    position,
    effect,
    bytes,
    type: 'sleep',
    name: effect.kind,
    title: effect.kind,
    digest: '',
    source: null,
    group: null,
  },
});
const sleep = (position: string): EffectRequest => asking(position, { kind: 'sleep', ms: 500 });
const event = (position: string): EffectRequest =>
  asking(position, { kind: 'event', name: 'e', match: null, timeoutMs: 500 } as unknown as Effect);
const predict = (position: string, type: 'mock' | 'http', bytes?: number): EffectRequest =>
  asking(
    position,
    {
      kind: 'predict',
      prediction: {
        ...{ model: 'm', input: {} },
        backend:
          type === 'mock' ? { type, value: 1 } : { type, endpoint: 'http://m', timeoutMs: 1, headers: {} },
      },
    },
    bytes,
  );

const begin = (...asked: EffectRequest[]): boolean => effects.begin({ cancelled: [], asked });

/** Ends what was begun, in this order; what follows has its turn. */
async function ends(...each: (Begun | undefined)[]): Promise<void> {
  for (const one of each) one?.end();
  await arrived();
  for (let next = sequence.take(); next !== undefined; next = sequence.take()) next.run();
}

const arrived = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function told(): string[] {
  const positions: string[] = [];
  for (let answer = effects.takeAnswer(); answer !== undefined; answer = effects.takeAnswer())
    positions.push(answer.request.position);
  return positions;
}

describe('1. an effect has one answer', () => {
  it('and is told once', async () => {
    begin(sleep('1'));
    await ends(begun[0]);
    expect([told(), told()]).toEqual([['1'], []]);
    expect(effects.waits).toEqual([]);
  });

  it('what comes when it has one is dropped', async () => {
    begin(event('1'));
    mailbox.get('1')?.answer({ value: 'first' });
    mailbox.get('1')?.answer({ value: 'second' });
    await ends(begun[0]);
    expect(effects.takeAnswer()?.outcome).toEqual({ ok: true, value: { value: 'first' } });
    expect(effects.hasAnswers).toBe(false);
  });

  it('what comes when nobody waits is dropped', async () => {
    begin(sleep('1'), predict('2', 'http'));
    effects.begin({ cancelled: ['1', '2'], asked: [] });
    begun[1]?.fail(new Error('no model'));
    await ends(begun[0]);
    expect(told()).toEqual([]);
  });

  it('so is what the worker did for it meanwhile', async () => {
    begin(predict('1', 'mock'));
    const local = effects.takeLocal() as LocalTask;
    const performed = effects.beginLocal(local);
    effects.giveUp('1');
    begun[0]?.end({ value: { ok: true, value: 1 }, at: 2_000, since: 1_000 });
    effects.endLocal(local, await performed);
    expect(told()).toEqual([]);
  });

  it('a failure is one', async () => {
    begin(predict('1', 'http'));
    begun[0]?.fail(new Error('no model'));
    await ends();
    expect(effects.takeAnswer()?.outcome).toEqual({ ok: false, code: 'predict_failed', message: 'no model' });
  });
});

describe('2. answers are told as they were made', () => {
  it('in the order of the events that brought them', async () => {
    begin(sleep('1'), sleep('2'), sleep('3'));
    await ends(begun[2], begun[0], begun[1]);
    expect(told()).toEqual(['3', '1', '2']);
  });

  it('one that needed nothing of the outside is there before what has arrived has its turn', async () => {
    begin(sleep('1'));
    begun[0]?.end();
    await arrived();
    begin(event('there'));
    expect(told()).toEqual(['there']);
    await ends();
    expect(told()).toEqual(['1']);
  });
});

describe('3. what the worker does at once', () => {
  it('is an answer of the time at which it was made', async () => {
    begin(predict('1', 'mock'));
    const local = effects.takeLocal() as LocalTask;
    const performed = effects.beginLocal(local);
    begun[0]?.end({ value: { ok: true, value: 1 }, at: 2_000, since: 1_000 });
    effects.endLocal(local, await performed);
    expect(begun[0]?.isLocal).toBe(true);
    expect(effects.takeAnswer()).toMatchObject({ outcome: { ok: true, value: 1 }, at: 2_000 });
  });

  it('may fail', () => {
    begin(predict('1', 'mock'));
    const local = effects.takeLocal() as LocalTask;
    effects.endLocal(local, failedTask(local, new Error('no worker'), now));
    expect(effects.takeAnswer()).toMatchObject({
      outcome: { ok: false, code: 'predict_failed', message: 'no worker' },
      at: now,
    });
  });

  it('it does in a row, where nothing else is under way', () => {
    begin(predict('1', 'mock'), predict('2', 'mock'));
    expect(begun).toEqual([]);
    expect(effects.takeLocal()?.opened.position).toBe('1');
  });

  it.each([
    [9, 'fileOutcome'],
    [10, 'fileOutcomes'],
  ])('looks at files it takes on engine %i by %s', async (engine, activity) => {
    effects = tableWith({}, engine);
    const looks = ['1', '2'].map((position) =>
      asking(position, { kind: 'file', operation: 'exists', path: position }),
    );
    begin(...looks);
    const performed = effects.beginLocal(effects.takeLocal() as LocalTask);
    expect(begun.map(({ name }) => name)).toEqual([activity]);
    begun[0]?.end({ value: [], at: 2_000, since: 1_000 });
    await performed.catch(() => undefined);
  });

  it('any worker does where something else is', async () => {
    begin(sleep('1'), predict('2', 'mock'));
    expect(effects.takeLocal()).toBeUndefined();
    expect(begun.map(({ name, isLocal }) => [name, isLocal])).toEqual([
      ['timer', false],
      ['mockPredictOutcome', false],
    ]);
    begun[1]?.end({ value: { ok: true, value: 1 }, at: 2_000 });
    await ends();
    expect(told()).toEqual(['2']);
  });

  it('nobody does when its branch is gone', () => {
    begin(predict('1', 'mock'));
    effects.giveUp('1');
    expect(effects.takeLocal()).toBeUndefined();
    expect(begun).toEqual([]);
  });
});

describe('4. what is under way for an effect that has ended', () => {
  it('is cancelled, but not before it is time for that', () => {
    begin(event('1'), predict('2', 'http'));
    mailbox.get('1')?.answer({ value: 1 });
    effects.giveUp('2');
    expect(begun.map(({ isCancelled }) => isCancelled)).toEqual([false, false]);
    effects.cancelLeftovers();
    expect(begun.map(({ isCancelled }) => isCancelled)).toEqual([true, true]);
  });

  it('and what has ended by itself, or is still waited for, is not', async () => {
    begin(sleep('1'), sleep('2'));
    await ends(begun[0]);
    effects.cancelLeftovers();
    expect(begun.map(({ isCancelled }) => isCancelled)).toEqual([false, false]);
  });
});

describe('5. a run that is about to continue as new', () => {
  it('can when no worker is at an activity', async () => {
    begin(sleep('1'));
    expect(effects.canBeHandedOver).toBe(true);
    begin(predict('2', 'http'));
    expect(effects.canBeHandedOver).toBe(false);
    await ends(begun[1]);
    expect(effects.canBeHandedOver).toBe(true);
  });

  it('begins no other, and all that it held when it goes on here', () => {
    effects.hold();
    begin(predict('1', 'http'), sleep('2'), predict('3', 'http'));
    expect(begun.map(({ name }) => name)).toEqual(['timer']);
    expect(effects.canBeHandedOver).toBe(true);
    effects.giveUp('3');
    effects.release();
    expect(begun.map(({ name }) => name)).toEqual(['timer', 'predict']);
    expect(effects.canBeHandedOver).toBe(false);
  });
});

describe('6. a deadline', () => {
  it('goes on in the next execution with what is left of it', () => {
    begin(sleep('1'), event('2'));
    expect(Object.fromEntries(effects.deadlines)).toEqual({ 1: 1_500, 2: 1_500 });
    now = 1_300;
    effects = tableWith(Object.fromEntries(effects.deadlines));
    begin(sleep('1'));
    expect(begun.map(({ ms }) => ms)).toEqual([500, 500, 200]);
  });

  it('is kept until its effect was told, or given up', async () => {
    begin(sleep('1'), sleep('2'));
    await ends(begun[0]);
    expect([...effects.deadlines.keys()]).toEqual(['1', '2']);
    told();
    effects.giveUp('2');
    expect([...effects.deadlines.keys()]).toEqual([]);
  });
});

describe('7. what is begun between two barriers', () => {
  const third = maxTaskBytes / 3;
  const barriers = (): [() => Promise<void>, number[]] => {
    const at: number[] = [];
    return [
      () => {
        at.push(begun.length);
        effects.sent();
        return Promise.resolve();
      },
      at,
    ];
  };

  it('fits into one message', () => {
    expect(begin(predict('1', 'http', third), predict('2', 'http', third))).toBe(true);
    expect(begin(predict('3', 'http', third))).toBe(true);
    expect(begin(predict('4', 'http', 1))).toBe(false);
    expect(begun).toHaveLength(3);
    effects.sent();
    expect(begin(predict('4', 'http', 1))).toBe(true);
  });

  it('or waits for another', async () => {
    const asked = ['1', '2', '3', '4', '5'].map((position) => predict(position, 'http', third));
    expect(begin(...asked)).toBe(false);
    const [barrier, at] = barriers();
    await effects.beginInParts({ cancelled: [], asked }, barrier);
    expect([begun.length, at]).toEqual([5, [0, 3]]);
  });

  it('what is larger than a message has one of its own', async () => {
    const asked = [predict('1', 'http', 5), predict('2', 'http', 2 * maxTaskBytes), predict('3', 'http', 5)];
    const [barrier, at] = barriers();
    await effects.beginInParts({ cancelled: [], asked }, barrier);
    expect(at).toEqual([0, 1, 2]);
  });
});

describe('8. what came before a change is with the server', () => {
  const changes = (position: string): EffectRequest =>
    asking(position, { kind: 'file', operation: 'append', path: 'a.txt', content: 'x' });

  it('when the answer to something that was begun later has come back, and not when something was only asked', async () => {
    localWork.performed();
    begin(changes('1'));
    expect([effects.isChangeNext, localWork.needsBarrier]).toEqual([true, true]);
    expect(effects.takeLocal()?.opened.position).toBe('1');
    begin(sleep('2'));
    expect(localWork.needsBarrier).toBe(true);
    await ends(begun[0]);
    expect(localWork.needsBarrier).toBe(false);
  });

  it('and what only reads waits for nothing', () => {
    localWork.performed();
    begin(asking('1', { kind: 'file', operation: 'read', path: 'a.txt' }));
    expect(effects.isChangeNext).toBe(false);
  });
});
