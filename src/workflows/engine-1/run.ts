import {
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { Checkpoint, Outcome } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import { procedureName } from '../../contract/procedures/source.js';
import { limitsOf, newCarry, type Carry, type StartInput } from '../../contract/runs/start-input.js';
import { statusOfWaits, type RunStatus } from '../../contract/runs/run-view.js';
import { Program } from '../../lua-bridge/index.js';
import { Attributes, currentDetails } from '../runs/details.js';
import type { EffectContext } from './effects/children.js';
import { localActivities } from '../effects/activities.js';
import type { TactusWorkflow } from '../effects/effect-kind.js';
import { Mirror } from '../storage/mirror.js';
import { packLog, unpackLog } from '../../log/pack.js';
import { HistoryBudget, Pauses, type Arrival } from './pauses.js';
import { OpenEffects } from './open-effects.js';
import { Children, reportToParent } from './children.js';
import { Gate, Inbox } from './inbox.js';
import type { RunFacts } from '../runs/views.js';
import { factsAtStart } from '../runs/run-facts.js';
import { answerQueries } from '../runs/queries.js';
import { findSource } from '../effects/local-work.js';

/** How one execution of a run ends: the procedure has ended, or the run is to continue as new. */
type Ending =
  { kind: 'completed'; output: JsonValue } | { kind: 'continue'; log: Checkpoint[]; carry: Carry };

/**
 * One execution of a run: the program, the effects that it waits for, and what the outside is shown of it.
 * Everything it does follows from history.
 */
class Run {
  readonly program: Program;
  private readonly effects: OpenEffects;
  private readonly attributes = new Attributes();
  private readonly mirror: Mirror;
  private readonly carriedCount: number;
  private readonly budget: HistoryBudget;
  private readonly pauses = new Pauses();
  private waits = false;
  private ending: RunFacts['ending'] = null;

  constructor(
    private readonly context: EffectContext,
    private readonly carry: Carry,
    carried: readonly Checkpoint[],
  ) {
    const { source, start, limits, runId } = context;
    this.mirror = new Mirror(carry.mirrored, true);
    this.carriedCount = carried.length;
    this.budget = new HistoryBudget(limits);
    this.effects = new OpenEffects(context);
    this.program = new Program({
      source,
      input: start.input ?? {},
      task: start.task,
      runId,
      startedAt: carry.startedAt,
      seed: carry.seed,
      limits,
      carried,
      settings: start.settings,
      folder: start.folder,
      mock: start.mock,
      scenario: start.scenario,
      drift: start.drift,
      engine: 1,
    });
  }

  /** @throws TactusError what the procedure failed with; a cancellation */
  async execute(): Promise<Ending> {
    for (;;) {
      const turn = this.program.turn();
      switch (turn.kind) {
        case 'slice':
          this.context.inbox.listen();
          await this.pauses.afterSlice();
          this.budget.addPause();
          continue;
        case 'failed':
          throw turn.error;
        case 'completed':
          this.close('completed', turn.output, null);
          return turn;
        case 'blocked':
          for (const position of turn.cancelled) this.effects.giveUp(position);
          for (const request of turn.asked) this.effects.start(request);
      }
      this.show();
      this.context.inbox.listen();
      if (this.isLong && (await this.canContinue())) return this.continueAsNew();
      this.waits = true;
      const answer = await this.effects.next();
      if (this.pauses.isDueAfter(answer)) {
        await this.pauses.endTask('a long row of local activities goes on');
        this.budget.addPause();
      }
      this.context.gate.open();
      this.give(answer);
      this.waits = false;
    }
  }

  /** The procedure waits, and goes on as soon as the events at hand have been looked at. */
  get hasNews(): boolean {
    return this.waits && (this.effects.hasArrived || this.context.inbox.hasAnswers);
  }

  /** Something changed that people may see. */
  show(): void {
    const facts = this.facts();
    setCurrentDetails(currentDetails(facts));
    const { gate, start } = this.context;
    if (start.searchAttributes === true && gate.isOpen) this.attributes.update(facts, true);
    this.mirror.update(facts);
  }

  close(status: RunStatus, output: JsonValue, error: TactusError | null): void {
    this.ending = { status, output, error: error?.toRunError() ?? null, at: Date.now() };
    this.context.inbox.listen();
    this.context.gate.open(); // a cancellation waits for nothing
    this.show();
  }

  facts(): RunFacts {
    const { runId, source, usage, inbox, children } = this.context;
    const { carry: _, ...start } = this.context.start;
    const { ending, effects, program, carry } = this;
    return {
      runId,
      procedure: procedureName(source),
      ending,
      pending: ending === null ? inbox.ledger.open : [],
      log: program.log.entries,
      ended: program.log.ended,
      usage,
      budgets: [],
      unheard: [],
      shown: program.shown,
      // Made when they are looked at: facts are gathered at every turn.
      get status() {
        return this.ending?.status ?? statusOfWaits(new Set(this.waits.map(({ kind }) => kind)));
      },
      get waits() {
        return ending === null ? effects.waits : [];
      },
      get children() {
        return ending === null ? children.open : [];
      },
      get state() {
        return program.state();
      },
      startedAt: this.carry.startedAt,
      get started() {
        return { start, engine: 1, startedAt: carry.startedAt, seed: carry.seed };
      },
    };
  }

  /** Cancels what is still open. */
  abandon(): Promise<void> {
    return this.effects.abandon();
  }

  private give({ request, outcome, at, suggested }: Arrival): void {
    this.budget.add(request, outcome, suggested);
    this.program.settle(request.position, outcome, at);
  }

  /** An execution that added nothing would only be followed by another like it. */
  private get isLong(): boolean {
    return this.budget.isUsedUp && this.program.log.entries.length > this.carriedCount;
  }

  /** Whether the log is small enough to be handed to another execution, or the worker has a place for it. */
  private async canContinue(): Promise<boolean> {
    const start = { ...this.context.start, source: this.context.source, carry: this.nextCarry() };
    const bytes = packLog(this.program.log.entries).length + jsonSize(start);
    if (bytes <= maxInlineBytes) return true;
    if (await localActivities.storesLargePayloads()) return true;
    if (this.budget.isAtEnd)
      throw new TactusError(
        'payload_too_large',
        `the log of ${this.program.log.ended} checkpoints is too large to go on with in a new execution, and the ` +
          'worker has no payload store to keep it in',
      );
    this.budget.extend();
    return false;
  }

  /** Lets activities in flight end, and hands everything else to the next execution. */
  private async continueAsNew(): Promise<Ending> {
    await this.effects.canBeHandedOver();
    for (let next = this.effects.takeArrived(); next !== undefined; next = this.effects.takeArrived())
      this.give(next);
    const log = [...this.program.drain()];
    return { kind: 'continue', log, carry: this.nextCarry() };
  }

  private nextCarry(): Carry {
    const { context, carry } = this;
    return {
      ...carry,
      ledger: context.inbox.ledger,
      usage: context.usage,
      deadlines: Object.fromEntries(context.deadlines),
      children: [...context.children.running],
      childOutcomes: context.children.outcomes,
      mirrored: this.mirror.told,
    };
  }
}

/** Goes on with a run that began on 0.1.0, by the commands that it began with, until it continues as new. */
export async function startOnEngine1(input: StartInput, packed: unknown): Promise<JsonValue> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const carry: Carry = input.carry ?? newCarry(workflowId, firstExecutionRunId, Date.now());
  const log: Checkpoint[] = packed === undefined ? [] : unpackLog(packed);
  let run: Run | null = null;
  const inbox = new Inbox(
    carry.ledger,
    (position) => run !== null && run.program.log.find(position) !== null,
    () => run?.show(),
    () => run?.hasNews === true,
  );
  const gate = new Gate();
  const children = new Children(workflowId, new Set(carry.children), { ...carry.childOutcomes }, gate);
  answerQueries(
    () => run?.facts() ?? factsAtStart(workflowId, input, carry, 1),
    () => run?.program.observed ?? null,
  );
  const start = await findSource(input);
  const context: EffectContext = {
    runId: workflowId,
    firstExecutionId: carry.firstExecutionId,
    source: start.source,
    start,
    limits: limitsOf(start),
    inbox,
    children,
    gate,
    deadlines: new Map(Object.entries(carry.deadlines)),
    usage: carry.usage,
  };
  run = new Run(context, carry, log);
  return await finish(run, start, context);
}

async function finish(run: Run, input: StartInput, context: EffectContext): Promise<JsonValue> {
  try {
    const ending = await run.execute();
    if (ending.kind === 'continue')
      return await continueAsNew<TactusWorkflow>({ ...input, carry: ending.carry }, packLog(ending.log));
    // Branches that were given up at the very end have told nobody.
    await context.children.cancelAll();
    await lastReport(input, context, { ok: true, value: ending.output });
    return ending.output;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (!isCancellation(error) && !(error instanceof TactusError)) throw error;
    await run.abandon();
    if (!(error instanceof TactusError)) {
      run.close('cancelled', null, null);
      await lastReport(input, context, {
        ok: false,
        code: 'cancelled',
        message: `${context.runId} was cancelled`,
      });
      throw error;
    }
    run.close('failed', null, error);
    await lastReport(input, context, { ok: false, code: error.code, message: error.message });
    throw error;
  }
}

/** The last that a run does. */
async function lastReport(
  { parent, mock }: StartInput,
  { children }: EffectContext,
  outcome: Outcome,
): Promise<void> {
  // A server that skips time for tests stands still for good where a child ends after its parent.
  if ((mock?.people ?? null) !== null) await children.allClosed();
  await reportToParent(parent, outcome);
}
