import { setTimeout as delay } from 'node:timers/promises';
import { shortBounds } from '../egress/bounded-response.js';
import { egressFetch } from '../egress/egress-fetch.js';
import { otlpJson, type TraceSource } from './otlp-json.js';
import type { Span } from './span.js';
import type { TraceSettings } from './trace-settings.js';

/** What a receiver that is away may cost: so many spans wait, and the rest is lost. */
const mostWaiting = 8_192;
const mostAtOnce = 512;
/** So long spans are gathered, in ms. */
const gatherMs = 1_000;
/** Time that a receiver has for one message, in ms. */
const patienceMs = 10_000;
/** Pauses after a message that was not taken but may be the next time, in ms; then its spans are lost. */
const retryMs = [1_000, 5_000, 15_000];
const againStatuses = [429, 502, 503, 504];
/** The receiver is whoever configured this process says. */
const send = egressFetch({}, shortBounds);
/** Time that the end of a process may take up for this, in ms. */
const settleMs = 3_000;

export interface ExporterOptions {
  /** Told once that spans are lost, and why. */
  onTrouble: (problem: string) => void;
  gatherMs?: number;
  mostWaiting?: number;
  retryMs?: readonly number[];
}

/**
 * Sends spans to a receiver of OTLP, behind the backs of runs.
 *
 * Owns: the spans that wait, and how many were lost.
 * Asks: the receiver, one message at a time.
 * Invariants:
 *  1. `add` neither waits nor throws.
 *  2. At most `mostWaiting` spans wait. Later ones are lost, and counted.
 *  3. What is wrong is told once, until the receiver takes spans again.
 */
export class SpanExporter {
  private readonly waiting: Span[] = [];
  private readonly source: TraceSource;
  private readonly ending = new AbortController();
  private sending: Promise<void> | null = null;
  private isTold = false;
  private lostSpans = 0;

  constructor(
    private readonly settings: TraceSettings,
    private readonly options: ExporterOptions,
  ) {
    const { serviceName, resource } = settings;
    this.source = { serviceName, resource };
  }

  /** So many spans no receiver ever took. */
  get lost(): number {
    return this.lostSpans;
  }

  add(spans: readonly Span[]): void {
    const room = Math.max(0, (this.options.mostWaiting ?? mostWaiting) - this.waiting.length);
    this.waiting.push(...spans.slice(0, room));
    if (spans.length > room) this.lose(spans.length - room, 'more are waiting than are kept');
    this.begin();
  }

  /** Sends what waits without gathering any more, for a while at most. */
  async close(): Promise<void> {
    this.ending.abort();
    await Promise.race([this.sending, delay(settleMs, undefined, { ref: false })]);
    if (this.waiting.length > 0) this.lose(this.waiting.splice(0).length, 'the receiver was too slow');
  }

  private begin(): void {
    if (this.waiting.length === 0) return;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
      // Added in the moment in which the last were sent.
      this.begin();
    });
  }

  private async sendAll(): Promise<void> {
    await this.pause(this.options.gatherMs ?? gatherMs);
    while (this.waiting.length > 0) {
      const spans = this.waiting.slice(0, mostAtOnce);
      const problem = await this.deliver(otlpJson(spans, this.source));
      this.waiting.splice(0, spans.length);
      if (problem === null) this.isTold = false;
      else this.lose(spans.length, problem);
    }
  }

  /** What went wrong; null: they have arrived. */
  private async deliver(body: string): Promise<string | null> {
    for (const pauseMs of [...(this.options.retryMs ?? retryMs), null]) {
      const { problem, isAgain } = await this.post(body);
      if (problem === null || !isAgain || pauseMs === null || this.ending.signal.aborted) return problem;
      await this.pause(pauseMs);
    }
    return null;
  }

  private async post(body: string): Promise<{ problem: string | null; isAgain: boolean }> {
    const { url, headers } = this.settings;
    try {
      const response = await send(url, {
        ...{ method: 'POST', body, signal: AbortSignal.timeout(patienceMs) },
        headers: { ...headers, 'content-type': 'application/json' },
      });
      await response.body?.cancel();
      if (response.ok) return { problem: null, isAgain: false };
      const isAgain = againStatuses.includes(response.status);
      return { problem: `it answered with status ${response.status}`, isAgain };
    } catch (error) {
      return { problem: reasonOf(error), isAgain: true };
    }
  }

  private lose(count: number, why: string): void {
    this.lostSpans += count;
    if (this.isTold) return;
    this.isTold = true;
    const { host } = new URL(this.settings.url);
    this.options.onTrouble(
      `traces: spans are lost, ${this.lostSpans} so far: ${host}: ${why}. Runs are not affected`,
    );
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { ref: false, signal: this.ending.signal }).catch(() => undefined);
  }
}

/** What the operating system said; nothing of the address, which may have a key in it. */
function reasonOf(error: unknown): string {
  const { cause, code, name } = error as { cause?: { code?: string }; code?: string; name?: string };
  return cause?.code ?? code ?? name ?? 'no answer';
}
