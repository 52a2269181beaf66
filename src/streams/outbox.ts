import { setTimeout as delay } from 'node:timers/promises';
import type { StreamEvent } from '../contract/streams/stream-event.js';

/** What a worker keeps for a broker that is away, in bytes of JSON. */
const mostBytes = 16_000_000;
/** Text that waits is sent together, up to so many characters. */
const mostText = 8_000;
const pauses = { first: 100, longest: 2_000 } as const;

interface Letter {
  event: StreamEvent;
  id: string;
  bytes: number;
}

/** Sends an event; rejects where it may not have arrived. The same id must not be kept twice. */
export type Send = (event: StreamEvent, id: string) => Promise<void>;

/**
 * Events that a worker sends to a broker, in order. Text that waits is put together, so that a slow broker has less to do.
 *
 * Owns: the events that have not arrived, and how many were lost of each run.
 * Asks: `send`, one event at a time, until it has arrived.
 * Invariants:
 *  1. An event is sent after those before it have arrived. Each attempt has the same id.
 *  2. An event that is being sent is not changed.
 *  3. What waits has at most `mostBytes`. Beyond that, events are lost, and the run's next event follows a `gap` that counts them.
 *  4. After `close` nothing is taken any more, and nothing new is sent.
 */
export class Outbox {
  private readonly letters: Letter[] = [];
  private bytes = 0;
  private readonly lost = new Map<string, number>();
  private readonly drains: (() => void)[] = [];
  private isSending = false;
  private isClosed = false;
  private count = 0;

  /** @param name tells the ids of this outbox from those of others */
  constructor(
    private readonly name: string,
    private readonly send: Send,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  add(event: StreamEvent, id?: string): void {
    if (this.isClosed || this.joins(event, id)) return;
    const bytes = JSON.stringify(event).length;
    if (this.bytes + bytes > mostBytes) {
      this.lost.set(event.run_id, (this.lost.get(event.run_id) ?? 0) + 1);
      return;
    }
    const lost = this.lost.get(event.run_id);
    if (lost !== undefined) {
      this.lost.delete(event.run_id);
      const { run_id, position, agent, attempt, at } = event;
      this.push({ run_id, position, agent, attempt, at, type: 'gap', lost }, undefined, 0);
    }
    this.push(event, id, bytes);
    if (!this.isSending) void this.work();
  }

  flushed(withinMs: number): Promise<void> {
    if (this.letters.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.drains.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** What hasn't arrived by now never will. */
  close(): void {
    this.isClosed = true;
    this.letters.length = 0;
  }

  private push(event: StreamEvent, id: string | undefined, bytes: number): void {
    this.letters.push({ event, id: id ?? `${this.name}/${++this.count}`, bytes });
    this.bytes += bytes;
  }

  /** Text goes on with the text before it, unless that is on its way. */
  private joins(event: StreamEvent, id: string | undefined): boolean {
    const last = this.letters.length > 1 || !this.isSending ? this.letters.at(-1) : undefined;
    if (id !== undefined || event.type !== 'text' || last?.event.type !== 'text') return false;
    const before = last.event;
    const isSame =
      before.run_id === event.run_id &&
      before.position === event.position &&
      before.attempt === event.attempt;
    if (!isSame || before.text.length + event.text.length > mostText) return false;
    last.event = { ...before, text: before.text + event.text };
    last.bytes += event.text.length;
    this.bytes += event.text.length;
    return true;
  }

  private async work(): Promise<void> {
    this.isSending = true;
    let pause: number = pauses.first;
    for (let [letter] = this.letters; letter !== undefined && !this.isClosed; [letter] = this.letters) {
      try {
        await this.send(letter.event, letter.id);
        this.letters.shift();
        this.bytes -= letter.bytes;
        pause = pauses.first;
      } catch (error) {
        this.onTrouble(error);
        await delay(pause);
        pause = Math.min(2 * pause, pauses.longest);
      }
    }
    this.isSending = false;
    for (const drained of this.drains.splice(0)) drained();
  }
}
