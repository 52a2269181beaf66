import { ApplicationFailure, defineUpdate, setHandler } from '@temporalio/workflow';
import type { ProofResult } from '../../contract/changes/proof.js';
import {
  readRewind,
  readRunChange,
  type ChangeRecord,
  type ChangeVerdict,
  type RewindRequest,
  type RunChange,
} from '../../contract/changes/run-change.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { Spent } from '../../contract/models/model-call.js';
import type { Effect } from '../../contract/effects/effects.js';
import type { Holds } from '../../contract/engine.js';
import { updateNames } from '../../contract/names.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { JsonObject } from '../../contract/json/json.js';
import { busyFailure, type LocalWork } from '../effects/local-work.js';
import type { Sequence } from '../sequence.js';

const upgradeUpdate = defineUpdate<ChangeVerdict, [unknown]>(updateNames.upgrade);
const rewindUpdate = defineUpdate<ChangeVerdict, [unknown, unknown]>(updateNames.rewind);

/** What the next execution of the run goes on with. */
export interface AgreedChange {
  /** null: it stays. */
  source: ProcedureSource | null;
  /** Digests that the log has from then on, by position. */
  digests: Readonly<Record<Position, string>>;
  record: ChangeRecord;
  /** null: the run goes on from where it is. */
  cut: Cut | null;
  gone: Gone | null;
}

/** Checkpoints that the log loses, and what budgets have counted of them. */
export interface Gone {
  positions: ReadonlySet<Position>;
  spent: readonly Spent[];
}

/** Where a run goes back to. */
export interface Cut extends Pick<RewindRequest, 'key' | 'outcomes' | 'earlier'> {
  log: Uint8Array;
  /** Ids of the requests that go along. */
  requests: ReadonlySet<string>;
  /** Events that are there again, the oldest first. */
  events: readonly JsonObject[];
}

/** A part of the procedure that is to be tried again from what failed in it. */
export interface RetryHere extends Omit<Extract<Effect, { kind: 'retry_here' }>, 'kind'> {
  /** It can't be done. */
  refuse: (why: string) => void;
}

/** The parts that are to be tried again from what failed in them. */
export interface RetriesHere {
  /** By the position where it was asked for. */
  readonly waiting: Map<Position, RetryHere>;
  /** Nothing that a worker would be at begins until the first of them is settled. */
  isHolding: boolean;
}

/** What somebody wants of the run. */
export type AskedChange =
  { kind: 'upgrade'; change: RunChange } | { kind: 'rewind'; request: RewindRequest; log: Uint8Array };

/**
 * A change of the run that somebody has asked for, another source or an earlier checkpoint, until its moment comes: see `settle-change.ts`.
 *
 * Owns: the change that waits and who asked for it, the handlers of its Updates, and what was agreed to.
 * Asks: nobody.
 * Invariants:
 *  1. One change at a time. Whoever asks meanwhile is told to ask again.
 *  2. Whoever asked gets a verdict before the execution ends.
 */
export class Changing {
  /** What the next execution goes on with; null: no change was agreed to. */
  agreed: AgreedChange | null = null;
  private waiting: { asked: AskedChange; told: (verdict: ChangeVerdict) => void } | null = null;
  /** What whoever asks from now on is told; null: the execution goes on. */
  private over: ChangeVerdict['verdict'] | null = null;
  private listens = false;

  constructor(
    private readonly sequence: Sequence,
    private readonly localWork: LocalWork,
    /** An older engine takes no change. */
    private readonly holds: Holds,
  ) {}

  /** Takes changes from now on; the SDK keeps those that came before. To be called as `Inbox.listen` is, for the same reason. */
  listen(): void {
    if (this.listens || !this.holds('upgrades')) return;
    this.listens = true;
    const inTurn = (asked: AskedChange): Promise<ChangeVerdict> =>
      new Promise((resolve) => {
        this.sequence.add(() => this.take(asked, resolve), { lasts: true });
      });
    setHandler(upgradeUpdate, (change) => inTurn({ kind: 'upgrade', change: change as RunChange }), {
      validator: (change) => this.refuse(readRunChange(change)),
      description: 'Goes on with another source: {"source": {"entry", "files"}}, and gives the verdict',
    });
    if (!this.holds('rewinds')) return;
    const rewind = (request: unknown, log: unknown): Promise<ChangeVerdict> =>
      inTurn({ kind: 'rewind', request: request as RewindRequest, log: log as Uint8Array });
    setHandler(rewindUpdate, rewind, {
      validator: (request, log) => this.refuse(readRewind(request, log)),
      description: 'Goes back to a checkpoint: what tactus-temporal rewind sends, and gives the verdict',
    });
  }

  /** The change that waits for its moment; null: there is none. */
  get asked(): AskedChange | null {
    return this.waiting?.asked ?? null;
  }

  /** Whoever asked has the verdict; the change waits no longer. */
  tell(verdict: ChangeVerdict): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.told(verdict);
  }

  /** The execution ends, and whoever asks is to ask the next one, or nobody. */
  end(verdict: 'busy' | 'ended'): void {
    this.over = verdict;
    this.tell(unmoved(verdict, verdict === 'busy' ? 'the run has just continued as new' : 'it has ended'));
  }

  /** @throws ApplicationFailure for what leaves no trace in history */
  private refuse(read: object | string): void {
    if (typeof read === 'string') throw ApplicationFailure.nonRetryable(read, 'invalid');
    if (this.localWork.isUnderWay || this.asked !== null) throw busyFailure('ask again');
  }

  private take(asked: AskedChange, told: (verdict: ChangeVerdict) => void): void {
    if (this.over !== null || this.asked !== null) told(unmoved(this.over ?? 'busy', 'the run is busy'));
    else this.waiting = { asked, told };
  }
}

/** The verdict on a change that the run isn't moved by. */
export function unmoved(
  verdict: ChangeVerdict['verdict'],
  message: string | null,
  proof: Partial<ProofResult> = {},
): ChangeVerdict {
  const { kept = 0, diverges = null, failed = null, changed = [], open = {} } = proof;
  return {
    verdict,
    moved: false,
    message,
    kept,
    diverges,
    failed,
    changed: changed.slice(0, mostTold),
    open,
  };
}

/** So many changed settings the answer names: the plan has all of them. */
const mostTold = 200;
