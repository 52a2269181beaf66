import {
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  holdOn,
  holdsWorkflowId,
  holdView,
  readHoldChange,
  readHoldsRecord,
  type Hold,
  type HoldChange,
  type HoldSubjects,
  type HoldsRecord,
  type HoldView,
} from '../../contract/changes/hold.js';
import { TactusError } from '../../contract/errors.js';
import { holdsType, updateNames } from '../../contract/names.js';
import { retryWhileBusy } from '../runs/messages.js';
import { failureOf } from '../runs/run-errors.js';

/** So long a worker goes by what it has read of holds, in ms. */
const freshMs = 1_000;
/** Before a second try at reading them, in ms. */
const againMs = 200;

export interface HoldOptions {
  /** Why, for whoever finds a call waiting: 1 to 500 characters. */
  reason: string;
  /** Who holds it; left out: nobody is named. */
  by?: string | undefined;
  /** When it ends by itself; left out: when somebody releases it. */
  until?: Date | undefined;
}

export interface ReleaseOptions {
  /** How many of the calls that wait begin each second; left out: all at once. */
  rate?: number | undefined;
}

/**
 * Holds over many runs. What is held waits in its run, and begins when it is released. A worker does what is ordered here; reading needs none.
 */
export class HeldTargets {
  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
  ) {}

  /**
   * Holds calls: `provider:openai`, `tool:crm.*`, `procedure:NAME`, `tenant:KEY` or `queue:NAME`. When it resolves, no worker begins one any more. A target
   * that is held already gets this reason and end.
   * @throws TactusError usage where it is no target, or the end is past; change_refused where there are too many holds
   */
  async add(target: string, { reason, by, until }: HoldOptions): Promise<HoldView[]> {
    const end = until === undefined ? null : until.getTime();
    const change = readHoldChange({ kind: 'add', target, reason, by: by ?? null, until: end });
    if (end !== null && end <= Date.now()) throw new TactusError('usage', 'The hold would end in the past');
    const options = {
      ...{ args: [{}], workflowId: holdsWorkflowId, taskQueue: this.taskQueue },
      workflowIdConflictPolicy: 'USE_EXISTING' as const,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
      staticSummary: 'holds over many runs',
    };
    const holds = await this.order(target, (updateId) =>
      this.client.workflow.executeUpdateWithStart<Workflow, HoldView[], [HoldChange]>(updateNames.hold, {
        ...{ args: [change], updateId },
        startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(holdsType, options),
      }),
    );
    await pause(freshMs);
    return holds;
  }

  /** All holds, the oldest first. */
  async list(): Promise<HoldView[]> {
    const record = await recordOf(this.client);
    return (record?.holds ?? []).map((hold) => holdView(hold, hold.waiting));
  }

  /**
   * Lets go of what is held, at once or so many calls each second. Gives the holds that are left: with a rate, this one is there until
   * nothing waits for it.
   * @throws TactusError usage; change_refused where the target isn't held
   */
  async release(target: string, { rate }: ReleaseOptions = {}): Promise<HoldView[]> {
    const change = readHoldChange({ kind: 'release', target, rate: rate ?? null });
    const handle = this.client.workflow.getHandle(holdsWorkflowId);
    return this.order(target, (updateId) =>
      handle.executeUpdate<HoldView[], [HoldChange]>(updateNames.hold, { args: [change], updateId }),
    );
  }

  /** Sent again, it is the same order. */
  private async order(target: string, send: (updateId: string) => Promise<HoldView[]>): Promise<HoldView[]> {
    const id = randomUUID();
    try {
      return await retryWhileBusy(() => send(id));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError)
        throw new TactusError('change_refused', `${target} is not held`);
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
      throw cause instanceof ApplicationFailure ? failureOf(cause) : error;
    }
  }
}

/** What is held, without asking a worker; null: nothing ever was. */
async function recordOf({ workflow }: Client): Promise<HoldsRecord | null> {
  try {
    const { type, status, memo } = await workflow.getHandle(holdsWorkflowId).describe();
    return type === holdsType && status.name === 'RUNNING' ? readHoldsRecord(memo) : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/**
 * What is held, for whoever makes calls or starts runs: read once a second at most, and not while nobody asks. Where the server doesn't answer,
 * what was read last counts.
 */
export class HoldsReader {
  private holds: Promise<readonly Hold[]> = Promise.resolve([]);
  private readAt = -Infinity;

  /** The first hold that these wait for; null: they may begin. */
  async find(client: Client, subjects: HoldSubjects, released: readonly string[] = []): Promise<Hold | null> {
    return holdOn(await this.read(client), subjects, Date.now(), released);
  }

  private read(client: Client): Promise<readonly Hold[]> {
    const now = performance.now();
    if (now - this.readAt < freshMs) return this.holds;
    this.readAt = now;
    const before = this.holds;
    const ask = async (): Promise<readonly Hold[]> => (await recordOf(client))?.holds ?? [];
    this.holds = ask()
      .catch(() => pause(againMs).then(ask))
      .catch(() => before);
    return this.holds;
  }
}
