import { defineSignal, log, setHandler } from '@temporalio/workflow';
import type { Effect } from '../../contract/effects/effects.js';
import { eventSignal } from '../../contract/events/event-effect.js';
import {
  asJson,
  canonicalJson,
  getOwn,
  isObject,
  jsonAs,
  jsonSize,
  type JsonValue,
} from '../../contract/json/json.js';
import { performing, type EffectState, type OpenEffect, type RunContext } from '../effects/effect-kind.js';
import type { Sequence } from '../sequence.js';

type EventEffect = Extract<Effect, { kind: 'event' }>;

/** What is kept that nobody has waited for: it travels with a run that continues as new. */
const mostKept = 1_000;
const mostKeptBytes = 500_000;

interface KeptEvent {
  name: string;
  value: JsonValue;
  /** The wait that it is the answer to, until the procedure has been told. */
  takenAt?: string;
}

/**
 * Events in the order in which they came.
 *
 * Owns: the events that the procedure has not been told of, and the waits for one.
 * Asks: nobody.
 * Invariants:
 *  1. An event is given to one wait: of several that it fits, to the one that was asked first.
 *  2. An event is kept until the procedure has been told. It isn't lost if the run continues as new, or if the wait's branch is
 *     given up, in between.
 *  3. At most 1,000 events are kept, of `mostKeptBytes` in total, but for those that are waited for. Before engine 10 `bytes`
 *     bounded their size only roughly: an event that was told took off a few bytes more than it had added (its `takenAt`).
 */
class Mailbox implements EffectState {
  private readonly waiting: { opened: OpenEffect; effect: EventEffect }[] = [];
  private bytes: number;

  constructor(
    sequence: Sequence,
    private readonly events: KeptEvent[],
    private readonly isExact: boolean,
  ) {
    this.bytes = isExact ? events.reduce((sum, each) => sum + this.sizeOf(each), 0) : jsonSize(events);
    setHandler(
      defineSignal<[unknown, JsonValue?]>(eventSignal),
      (name, value = null) => {
        if (typeof name === 'string' && name !== '')
          sequence.add(() => this.add({ name, value }), { lasts: true });
        else log.warn('A signal names no event and was ignored');
      },
      { description: 'An event that the procedure may wait for: its name, and a value' },
    );
  }

  wait(opened: OpenEffect, effect: EventEffect): void {
    const own = this.events.find(({ takenAt }) => takenAt === opened.position);
    const found = own ?? this.events.find((event) => event.takenAt === undefined && fits(event, effect));
    if (found === undefined) this.waiting.push({ opened, effect });
    else give(found, opened);
  }

  /** The wait's branch is gone: what it was about to be told goes to others. */
  forget(position: string): void {
    this.stopWaiting(position);
    const taken = this.events.find(({ takenAt }) => takenAt === position);
    if (taken === undefined) return;
    delete taken.takenAt;
    this.offer(taken);
  }

  told(position: string): void {
    this.stopWaiting(position);
    const at = this.events.findIndex(({ takenAt }) => takenAt === position);
    const [told] = at < 0 ? [] : this.events.splice(at, 1);
    if (told !== undefined) this.bytes -= this.sizeOf(told);
  }

  handOver(): JsonValue | null {
    return this.events.length === 0 ? null : asJson(this.events);
  }

  /** Somebody has sent it. */
  add(event: KeptEvent): void {
    const bytes = this.sizeOf(event);
    const isFull = this.events.length >= mostKept || this.bytes + bytes > mostKeptBytes;
    if (isFull && !this.waiting.some(({ effect }) => fits(event, effect))) {
      log.warn('An event was dropped: too many are kept that the procedure has not waited for', {
        event: event.name,
      });
      return;
    }
    this.events.push(event);
    this.bytes += bytes;
    this.offer(event);
  }

  /** The same whether somebody has taken it or not. */
  private sizeOf(event: KeptEvent): number {
    return jsonSize(this.isExact ? { name: event.name, value: event.value } : event);
  }

  private offer(event: KeptEvent): void {
    const first = this.waiting.find(({ effect }) => fits(event, effect));
    if (first === undefined) return;
    this.stopWaiting(first.opened.position);
    give(event, first.opened);
  }

  private stopWaiting(position: string): void {
    const at = this.waiting.findIndex(({ opened }) => opened.position === position);
    if (at >= 0) this.waiting.splice(at, 1);
  }
}

function give(event: KeptEvent, opened: OpenEffect): void {
  event.takenAt = opened.position;
  opened.answer({ value: event.value });
}

function fits({ name, value }: KeptEvent, wanted: EventEffect): boolean {
  if (name !== wanted.name) return false;
  return Object.entries(wanted.match ?? {}).every(([key, expected]) => {
    const found = isObject(value) ? getOwn(value, key) : undefined;
    return found !== undefined && canonicalJson(found) === canonicalJson(expected);
  });
}

const mailboxOf = ({ kept }: RunContext): Mailbox => kept.get('event') as Mailbox;

/** Takes an event that didn't come by a signal, in its turn. */
export function receiveEvent(context: RunContext, name: string, value: JsonValue): void {
  mailboxOf(context).add({ name, value });
}

/** Waits for an event, or for the end of its time. */
export const event = performing('event', {
  perform(context, opened, effect) {
    mailboxOf(context).wait(opened, effect);
    if (!opened.isOpen || effect.timeoutMs === null) return;
    opened.deadline(effect.timeoutMs, `time to wait: ${effect.name}`, () =>
      opened.answer({ timed_out: true }),
    );
  },
  givenUp: (context, position) => mailboxOf(context).forget(position),
  told: (context, position) => mailboxOf(context).told(position),
  openState: (sequence, handed, holds) =>
    new Mailbox(sequence, jsonAs<KeptEvent[]>(handed ?? []), holds('exact-mailbox')),
});
