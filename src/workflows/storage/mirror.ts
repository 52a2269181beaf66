import { proxySinks, workflowInfo, type Sink, type Sinks } from '@temporalio/workflow';
import { forkedFrom } from '../../contract/changes/forked-from.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { defined, type JsonObject } from '../../contract/json/json.js';
import { lastAnswersFlag, mirrorFlag } from '../../contract/names.js';
import type { LastAnswers, RunStatus, ToldRun, Wait } from '../../contract/runs/run-view.js';
import type { TracedRun } from '../traces/run-trace.js';
import { endedFrom, endedIn } from '../runs/passes.js';
import { lastAnswers } from '../runs/pages.js';
import { endOf, pendingView, type RunFacts } from '../runs/views.js';

/** What a worker tells the mirror of a run. Checkpoints before `from` were told before. */
export interface MirrorUpdate {
  runId: string;
  status: RunStatus;
  state: JsonObject;
  from: number;
  checkpoints: Checkpoint[];
  waitingOn: string | null;
  /** For lists of runs and of what they ask. */
  run: ToldRun;
  /** Left out by engine 1, which has no spans. */
  trace?: TracedRun;
  /** Of a run that has ended; left out where nobody keeps them, and where they are too large. */
  answers?: LastAnswers;
}

export interface TactusSinks extends Sinks {
  tactusMirror: Sink & { update(change: MirrorUpdate): void };
}

const { tactusMirror } = proxySinks<TactusSinks>();

/** Time in which changes are gathered, in ms: while a run goes on by itself, its state is put together so often at most. */
const gatherMs = 200;

/**
 * Tells the mirror, through a sink: no command, no event, no waiting. What is lost with a worker shows as a gap,
 * which the mirror repairs by asking the run. Where nobody stores anything, nothing is put together; nor on replay.
 */
export class Mirror {
  /** What others see of it without looking closer, as it was told last. */
  private shown = '';
  private asked = '';
  private isGathered = false;
  /** By the clock of the machine: nothing that the run does depends on it. */
  private toldAt = 0;

  constructor(
    /** Checkpoints that were told before. */
    public told: number,
    /** Whether a replay tells again what was told: it is dropped, and takes time to put together. */
    private readonly tellsAgain: boolean,
  ) {}

  /** Something may have changed; more may follow at once. */
  gather(facts: RunFacts): void {
    this.isGathered = true;
    if (tellsReplays() || workflowInfo().unsafe.now() - this.toldAt >= gatherMs) this.tell(facts);
  }

  /** Nothing more follows for now. */
  tell(facts: RunFacts): void {
    if (!this.isGathered) return;
    this.isGathered = false;
    this.update(facts);
  }

  update(facts: RunFacts): void {
    if (!this.isHeard) {
      this.told = endedIn(facts);
      return;
    }
    const { status, waits } = facts;
    const asked = JSON.stringify(facts.pending.map(stateOf));
    const marked = JSON.stringify(facts.marks);
    const shown = [status, facts.children, waits.map(({ position }) => position), marked].join(';');
    const ended = endedIn(facts);
    if (shown === this.shown && asked === this.asked && ended === this.told) return;
    const pending = asked === this.asked && this.shown !== '' ? null : pendingView(facts);
    this.shown = shown;
    this.asked = asked;
    tactusMirror.update({
      runId: facts.runId,
      status,
      state: facts.state,
      from: this.told,
      checkpoints: [...endedFrom(facts, this.told)],
      waitingOn: facts.pending[0]?.id ?? null,
      run: toldRun(facts, waits, pending),
      ...defined({ trace: facts.trace, answers: keepsAnswers() ? lastAnswers(facts) : undefined }),
    });
    this.told = ended;
    this.toldAt = workflowInfo().unsafe.now();
  }

  private get isHeard(): boolean {
    if (!(mirrorFlag in globalThis)) return false;
    return this.tellsAgain || tellsReplays() || !workflowInfo().unsafe.isReplaying;
  }
}

/** Somebody compares what a run shows of itself in a replay: all of it is told. */
function tellsReplays(): boolean {
  return (globalThis as { [mirrorFlag]?: unknown })[mirrorFlag] === 'replays';
}

/** An index of the worker keeps what runs answer last. */
function keepsAnswers(): boolean {
  return lastAnswersFlag in globalThis;
}

/** What may change of a request while it is open. */
function stateOf({
  id,
  digest,
  approvers,
  votes = [],
  escalation = [],
  deliveries = [],
}: HumanRequest): unknown {
  return [id, digest, approvers, votes, escalation, deliveries];
}

/** What lists have of a run; `waits`: those of the facts; `pending` null: what it told before. */
function toldRun(facts: RunFacts, waits: readonly Wait[], pending: HumanRequest[] | null): ToldRun {
  const { runId, procedure, status, ending, children, usage, startedAt, version } = facts;
  const { published } = facts.started.start;
  return {
    run_id: runId,
    procedure,
    status,
    error: ending?.error ?? null,
    ...defined({ published, forked_from: forkedFrom(facts.changes) }),
    ...facts.marks,
    ...(ending === null ? {} : defined({ decisions: endOf(facts).decisions })),
    waits: [...waits],
    children: [...children],
    checkpoints: endedIn(facts),
    usage,
    started_at: new Date(startedAt).toISOString(),
    closed_at: ending === null ? null : new Date(ending.at).toISOString(),
    version: version ?? null,
    pending,
  };
}
