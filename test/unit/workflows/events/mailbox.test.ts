import { beforeEach, expect, it, vi } from 'vitest';
import { changesOf } from '../../../../src/contract/engine.js';
import { jsonSize, type JsonValue } from '../../../../src/contract/json/json.js';
import type { EffectState, OpenEffect, RunContext } from '../../../../src/workflows/effects/effect-kind.js';
import { event, receiveEvent } from '../../../../src/workflows/events/event-effect.js';
import { Sequence } from '../../../../src/workflows/sequence.js';
import { seededRandom } from '../../../support/seeded-random.js';

let dropped: number;

vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  setHandler: () => undefined,
  log: { warn: () => dropped++ } as never,
}));

beforeEach(() => {
  dropped = 0;
});

const mostKeptBytes = 500_000;

/** A run's mailbox, as its effects see it. */
class Box {
  private state: EffectState;

  constructor(
    private readonly engine: number,
    handed: JsonValue | null = null,
  ) {
    this.state = this.opened(handed);
  }

  private opened(handed: JsonValue | null): EffectState {
    const state = event.openState?.(new Sequence(), handed, changesOf(this.engine));
    if (state === undefined) throw new Error('events have no state');
    return state;
  }

  private get context(): RunContext {
    return { kept: new Map([['event', this.state]]) } as unknown as RunContext;
  }

  /** The run continues as new. */
  continueAsNew(): void {
    this.state = this.opened(structuredClone(this.state.handOver()));
  }

  send(name: string, value: JsonValue): void {
    receiveEvent(this.context, name, value);
  }

  /** Waits at a position; gives whether it was answered at once. */
  wait(position: string, name: string): boolean {
    let isOpen = true;
    const opened = {
      position,
      get isOpen() {
        return isOpen;
      },
      answer: () => (isOpen = false),
    };
    event.perform(
      this.context,
      opened as unknown as OpenEffect,
      { kind: 'event', name, match: null, timeoutMs: null } as never,
    );
    return !isOpen;
  }

  told(position: string): void {
    event.told?.(this.context, position, {} as never, {} as never);
  }

  giveUp(position: string): void {
    event.givenUp?.(this.context, position);
  }

  /** What is kept, without who has taken it. */
  get kept(): { name: string; value: JsonValue }[] {
    const events = (this.state.handOver() ?? []) as { name: string; value: JsonValue }[];
    return events.map(({ name, value }) => ({ name, value }));
  }

  get bytes(): number {
    return this.kept.reduce((sum, each) => sum + jsonSize(each), 0);
  }
}

/** Takes so many events; then more are sent than fit. */
function bytesAfter(engine: number, taken: number): number {
  const box = new Box(engine);
  for (let n = 0; n < taken; n++) {
    box.send('taken', n);
    box.wait(`${n}`, 'taken');
    box.told(`${n}`);
  }
  for (let n = 0; n < 900; n++) box.send('kept', 'x'.repeat(1_000));
  return box.bytes;
}

it('events that the procedure was told of leave as much room as they took', () => {
  expect(bytesAfter(10, 20_000)).toBe(bytesAfter(10, 0));
  expect(bytesAfter(10, 20_000)).toBeLessThanOrEqual(mostKeptBytes);
});

it('runs on older engines keep what they kept', () => {
  expect(bytesAfter(9, 20_000)).toBeGreaterThan(mostKeptBytes + 200_000);
});

it('whatever is sent, waited for, told, given up and handed over: all is kept that has room, and no more', () => {
  for (let seed = 1; seed <= 8; seed++) {
    const random = seededRandom(seed);
    const box = new Box(10);
    const answered: string[] = [];
    for (let step = 0; step < 150; step++) {
      const dice = random();
      if (dice < 0.5) {
        const value = 'ä"'.repeat(Math.floor(random() * 15_000));
        const before = { bytes: box.bytes, count: box.kept.length, dropped };
        box.send('n', value);
        const hasRoom =
          before.bytes + jsonSize({ name: 'n', value }) <= mostKeptBytes && before.count < 1_000;
        expect(dropped - before.dropped).toBe(hasRoom ? 0 : 1);
        expect(box.kept).toHaveLength(before.count + (hasRoom ? 1 : 0));
      } else if (dice < 0.75 && box.kept.length > answered.length) {
        if (box.wait(`${seed}.${step}`, 'n')) answered.push(`${seed}.${step}`);
      } else if (dice < 0.9) {
        const position = answered.shift();
        if (position !== undefined) box.told(position);
      } else if (dice < 0.97) {
        const position = answered.pop();
        if (position !== undefined) box.giveUp(position);
      } else {
        box.continueAsNew();
      }
      expect(box.bytes).toBeLessThanOrEqual(mostKeptBytes);
    }
  }
});
