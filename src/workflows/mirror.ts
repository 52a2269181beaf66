import { proxySinks, workflowInfo, type Sink, type Sinks } from '@temporalio/workflow';
import type { Checkpoint } from '../contract/checkpoint.js';
import type { JsonObject } from '../contract/json.js';
import type { RunStatus } from '../contract/status.js';
import { statusOf, type RunFacts } from './views.js';

/** What a worker tells the mirror of a run. Checkpoints before `from` were told before. */
export interface MirrorUpdate {
  runId: string;
  status: RunStatus;
  state: JsonObject;
  from: number;
  checkpoints: Checkpoint[];
  waitingOn: string | null;
}

export interface TactusSinks extends Sinks {
  tactusMirror: Sink & { update(change: MirrorUpdate): void };
}

const { tactusMirror } = proxySinks<TactusSinks>();

/**
 * Tells the mirror, through a sink: no command, no event, no waiting. What is lost with a worker shows as a gap,
 * which the mirror repairs by asking the run.
 */
export class Mirror {
  private status = '';

  constructor(
    /** Checkpoints that were told before. */
    public told: number,
    /** Whether a replay tells again what was told: it is dropped, and takes time to put together. */
    private readonly tellsAgain: boolean,
  ) {}

  update(facts: RunFacts): void {
    const status = statusOf(facts);
    if (status === this.status && facts.ended === this.told) return;
    this.status = status;
    if (!this.tellsAgain && workflowInfo().unsafe.isReplaying) {
      this.told = facts.ended;
      return;
    }
    const checkpoints = facts.log.slice(this.told, facts.ended);
    tactusMirror.update({
      runId: facts.runId,
      status,
      state: facts.state,
      from: this.told,
      checkpoints: [...checkpoints],
      waitingOn: facts.pending[0]?.id ?? null,
    });
    this.told = facts.ended;
  }
}
