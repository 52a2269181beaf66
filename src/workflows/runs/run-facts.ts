import type { SessionView } from '../../contract/sessions/session-view.js';
import type { OpenSuperStep } from '../../contract/graphs/super-step.js';
import { workflowInfo } from '@temporalio/workflow';
import type { Steering } from '../../contract/agents/steer-effect.js';
import type { HoldView } from '../../contract/changes/hold.js';
import type { PauseView } from '../../contract/changes/pause.js';
import { cancellingView, type CancellingView } from '../../contract/runs/cancelling.js';
import type { BudgetView } from '../../contract/budgets/budget.js';
import type { ChangeRecord } from '../../contract/changes/run-change.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { defined, type JsonObject } from '../../contract/json/json.js';
import type { Usage } from '../../contract/models/model-call.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { nameOfStart } from '../../contract/procedures/source.js';
import type { CarriedAnswers } from '../../contract/runs/carried-answers.js';
import {
  statusOfWaits,
  type RunStatus,
  type RunVersion,
  type Shown,
  type Wait,
} from '../../contract/runs/run-view.js';
import {
  sentKinds,
  type Carry,
  type HandedWork,
  type RunStarted,
  type StartInput,
} from '../../contract/runs/start-input.js';
import type { Marks } from '../../contract/runs/marks.js';
import type { Pass } from '../../contract/runs/pass.js';
import type { LogStart } from '../../log/compaction.js';
import type { Program } from '../../lua-bridge/index.js';
import { tracedRun, type TracedRun } from '../traces/run-trace.js';
import { steeringOf } from '../agents/steering.js';
import type { RunContext } from '../effects/effect-kind.js';
import type { OpenEffects } from '../effects/open-effects.js';
import type { RunFacts } from './views.js';

/** The facts of a run as they are at the moment at which they are looked at: made once, for they are shown at every step. */
export class LiveFacts implements RunFacts {
  readonly runId: string;
  readonly procedure: string;
  readonly startedAt: number;
  ending: RunFacts['ending'] = null;
  /** Set when something has changed, not when somebody looks: questions come between the tasks of a run. */
  version: RunVersion;
  private traced: TracedRun | null = null;

  constructor(
    private readonly context: RunContext,
    private readonly effects: OpenEffects,
    private readonly program: Program,
    private readonly carry: Carry,
  ) {
    this.startedAt = carry.startedAt;
    this.runId = context.runId;
    this.procedure = nameOfStart(context.start);
    const { runId: execution, runStartTime, historyLength: length } = workflowInfo();
    this.version = { execution, began: runStartTime.getTime(), length, step: 0 };
  }

  get trace(): TracedRun {
    const { runId, firstExecutionId, anew, start } = this.context;
    return (this.traced ??= tracedRun(start, { runId, firstExecutionId, anew }));
  }

  /** Something has changed that others may see. */
  changed(): void {
    const { historyLength: length } = workflowInfo();
    const step = length === this.version.length ? this.version.step + 1 : 0;
    this.version = { ...this.version, length, step };
  }

  get status(): RunStatus {
    if (this.ending !== null) return this.ending.status;
    if (this.context.cancelling !== null) return 'cancelling';
    return this.context.pausing.isOn ? 'paused' : statusOfWaits(this.effects.waitKinds);
  }

  get paused(): PauseView | undefined {
    return this.ending === null ? (this.context.pausing.view ?? undefined) : undefined;
  }

  get held(): HoldView[] | undefined {
    const { holding } = this.context;
    return this.ending === null && holding.size > 0 ? holding.views : undefined;
  }

  get cancelling(): CancellingView | undefined {
    const { cancelling } = this.context;
    return this.ending === null && cancelling !== null
      ? cancellingView(cancelling, this.program.cleanup.left)
      : undefined;
  }

  get pending(): readonly HumanRequest[] {
    return this.ending === null ? this.context.inbox.ledger.open : [];
  }

  get waits(): readonly Wait[] {
    return this.ending === null ? this.effects.waits : [];
  }

  get children(): readonly string[] {
    return this.ending === null ? this.context.children.open : [];
  }

  get log(): readonly Checkpoint[] {
    return this.program.log.entries;
  }

  get ended(): number {
    return this.program.log.ended;
  }

  get answersLeft(): CarriedAnswers | null {
    return this.program.answersLeft;
  }

  get started(): RunStarted {
    const { engine, start: all } = this.context;
    const { carry: _, ...start } = all;
    const { startedAt, seed, pass } = this.carry;
    return { start, engine, startedAt, seed, ...defined({ pass }) };
  }

  get pass(): Pass | undefined {
    return this.carry.pass;
  }

  get work(): HandedWork {
    const { inbox, kept } = this.context;
    const { open, closed, early } = inbox.ledger;
    const since = this.effects.waits.map(({ position, since: at }) => [position, Date.parse(at)] as const);
    const sent = sentKinds.flatMap((kind) => {
      const keeps = kept.get(kind)?.handOver() ?? null;
      return keeps === null ? [] : [[kind, keeps] as const];
    });
    return {
      requests: this.ending === null ? open : [],
      answered: closed.filter(({ answer }) => answer !== null),
      ...{ early, kept: Object.fromEntries(sent) },
      deadlines: Object.fromEntries(this.effects.deadlines),
      since: Object.fromEntries(since),
    };
  }

  get changes(): readonly ChangeRecord[] | undefined {
    return this.carry.changes;
  }

  get usage(): Usage {
    return this.context.usage;
  }

  get budgets(): readonly BudgetView[] {
    return this.program.budgets();
  }

  get unheard(): readonly Steering[] {
    return steeringOf(this.context).unheard;
  }

  get start(): LogStart {
    return this.program.log.start;
  }

  get earlier(): string | undefined {
    return this.carry.earlier;
  }

  /** Lines of before that place are shown elsewhere. */
  get shown(): readonly Shown[] {
    const { log, shown } = this.program;
    return log.ended < log.start.index ? [] : shown;
  }

  get state(): JsonObject {
    return this.program.state();
  }

  get superSteps(): readonly OpenSuperStep[] {
    return this.ending === null ? this.program.superSteps() : [];
  }

  get marks(): Marks {
    return this.program.marks;
  }

  get session(): SessionView {
    return this.program.session();
  }
}

function isSent(kind: string): boolean {
  return sentKinds.some((each) => each === kind);
}

/** What is shown of a run whose source is yet to be found. */
export function factsAtStart(
  runId: string,
  input: StartInput,
  carry: Carry,
  engine: number,
  paused: PauseView | null = null,
): RunFacts {
  const { carry: _, ...start } = input;
  return {
    runId,
    procedure: input.procedure ?? input.source?.entry ?? '',
    status: paused === null ? statusOfWaits(new Set()) : 'paused',
    ...(paused === null ? {} : { paused }),
    ending: null,
    pending: carry.ledger.open,
    waits: [],
    children: carry.children.map((position) => `${runId}/${position}`),
    log: [],
    ended: 0,
    work: {
      requests: carry.ledger.open,
      answered: carry.ledger.closed.filter(({ answer }) => answer !== null),
      early: carry.ledger.early,
      kept: Object.fromEntries(Object.entries(carry.kept ?? {}).filter(([kind]) => isSent(kind))),
      deadlines: carry.deadlines,
      since: {},
    },
    usage: carry.usage,
    marks: carry.pass?.marks ?? defined({ labels: start.labels }),
    changes: carry.changes,
    budgets: [],
    unheard: [],
    shown: [],
    state: {},
    startedAt: carry.startedAt,
    pass: carry.pass,
    started: {
      start,
      engine,
      startedAt: carry.startedAt,
      seed: carry.seed,
      ...defined({ pass: carry.pass }),
    },
  };
}
