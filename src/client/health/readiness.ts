import type { Client } from '@temporalio/client';

/** What must hold before a process is given work. `look` says what is wrong, without addresses and content; null: nothing is. */
export interface Probe {
  name: string;
  look: () => Promise<string | null> | string | null;
}

export interface ReadinessCheck {
  name: string;
  status: 'ok' | 'failed';
  detail: string | null;
}

/** The answer of `/readyz`: 200 where it is ready, else 503. */
export interface ReadinessReport {
  status: 'ready' | 'not_ready';
  checks: ReadinessCheck[];
}

/** Soon enough for an orchestrator, which asks every few seconds. */
const askMs = 2_000;

interface ReadinessOptions {
  /** How long one probe may take, in ms. */
  deadlineMs?: number;
  /** How long an answer is given again to whoever asks, in ms: anybody may ask, however often. */
  keptMs?: number;
}

/**
 * Whether a process is ready for work, as an orchestrator asks it.
 *
 * Owns: the newest report, and whether the process is ending.
 * Invariants:
 *  1. A report comes within the deadline, whatever a probe does.
 *  2. However many ask, the probes look once in `keptMs`.
 *  3. A process that is ending is not ready again.
 */
export class Readiness {
  private readonly deadlineMs: number;
  private readonly keptMs: number;
  private newest: { at: number; report: Promise<ReadinessCheck[]> } | null = null;
  private isEnding = false;

  private readonly probes: Probe[];

  constructor(probes: readonly Probe[], { deadlineMs = askMs, keptMs = 1_000 }: ReadinessOptions = {}) {
    this.probes = [...probes];
    this.deadlineMs = deadlineMs;
    this.keptMs = keptMs;
  }

  /** More that must hold, of what has begun by now. They take the place of those of the same name. */
  add(probes: readonly Probe[]): void {
    const names = probes.map(({ name }) => name);
    const others = this.probes.filter(({ name }) => !names.includes(name));
    this.probes.splice(0, this.probes.length, ...others, ...probes);
    this.newest = null;
  }

  /** From now on it takes no new work. */
  drain(): void {
    this.isEnding = true;
  }

  async report(): Promise<ReadinessReport> {
    const now = performance.now();
    if (this.newest === null || now - this.newest.at > this.keptMs)
      this.newest = { at: now, report: Promise.all(this.probes.map((probe) => this.check(probe))) };
    const looked = await this.newest.report;
    const checks = this.isEnding ? [...looked, failed('drain', 'the process is ending')] : looked;
    return { status: checks.every(({ status }) => status === 'ok') ? 'ready' : 'not_ready', checks };
  }

  private async check({ name, look }: Probe): Promise<ReadinessCheck> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((done) => {
      timer = setTimeout(() => done(`no answer within ${this.deadlineMs / 1_000} s`), this.deadlineMs);
    });
    try {
      const problem = await Promise.race([late, Promise.resolve().then(look)]);
      return problem === null ? { name, status: 'ok', detail: null } : failed(name, problem);
    } catch {
      // What an error says may have an address, or a password in one.
      return failed(name, 'no answer');
    } finally {
      clearTimeout(timer);
    }
  }
}

function failed(name: string, detail: string): ReadinessCheck {
  return { name, status: 'failed', detail };
}

/** Whether the Temporal server answers, and knows the namespace. */
export function temporalProbe(client: Client): Probe {
  const { namespace } = client.options;
  return {
    name: 'temporal',
    look: async () => {
      await client.withDeadline(Date.now() + askMs, () =>
        client.workflowService.describeNamespace({ namespace }),
      );
      return null;
    },
  };
}
