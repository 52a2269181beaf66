import { setCurrentDetails } from '@temporalio/workflow';
import type { LocalAnswer } from '../contract/activities.js';
import type { WaitingChange } from '../contract/changes/run-change.js';
import type { Outcome, Position } from '../contract/checkpoints/checkpoint.js';
import { changesOf } from '../contract/engine.js';
import type { TactusError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json/json.js';
import type { Message } from '../contract/models/model-call.js';
import type { Carry, StartInput } from '../contract/runs/start-input.js';
import type { RunStatus } from '../contract/runs/run-view.js';
import type { CarriedLog } from '../log/pack.js';
import { optionsOfStart, Program, type Turn } from '../lua-bridge/index.js';
import type { RunContext } from './effects/effect-kind.js';
import { Attributes, currentDetails } from './runs/details.js';
import { isRetryAwaited, settleRetryHere } from './changes/retry-here.js';
import { settleChange, type ChangeParts } from './changes/settle-change.js';
import { waitingChange } from './changes/waiting-change.js';
import { Continuing } from './history/continuing.js';
import { nextLog, nextStart, type HandedParts } from './history/hand-over.js';
import { beginCancelling, endCancelling, isCancelledBy } from './runs/cancelling.js';
import { LiveFacts } from './runs/run-facts.js';
import { RunCounter } from './health/count-run.js';
import { Mirror } from './storage/mirror.js';
import { failedTask } from './effects/local-tasks.js';
import { OpenEffects } from './effects/open-effects.js';
import { drained, type Event } from './sequence.js';
import { steeringOf } from './agents/steering.js';

/** How one execution of a run ends: the procedure has ended, or the run is to continue as new. */
export type Ending =
  | { kind: 'completed'; output: JsonValue }
  /** `taskMs`: time for each workflow task from then on; null: as before. */
  | { kind: 'continue'; log: Uint8Array; start: StartInput; taskMs: number | null };

/**
 * One execution of a run: the program, the effects that it waits for, and what the outside is shown of it.
 *
 * Owns: the program, the table of open effects, and what the mirror has been told.
 * Asks: `RunContext`, which lives as long as the execution, for children, the inbox and the sequence of events.
 * Invariants:
 *  1. What it does is a function of its start and of the events of its sequence, in their order.
 *  2. An event has its turn when the program waits, all answers are told, and no local activity is left to be done.
 *  3. The clock never goes back. An event that gives the procedure no answer doesn't move it.
 *  4. The run continues as new only if no worker is at an activity of it: see `OpenEffects.canBeHandedOver`. A paused run doesn't end.
 */
export class Run {
  readonly program: Program;
  readonly facts: LiveFacts;
  private readonly effects: OpenEffects;
  private readonly attributes = new Attributes();
  private readonly mirror: Mirror;
  private readonly counter: RunCounter;
  private readonly handed: HandedParts;
  private readonly continuing: Continuing;
  /** What the program is to be told is no answer. */
  private mustTurn = false;
  private isLeaving = false;
  /** It was asked to end when it was already agreed how the next execution goes on: that one ends. */
  private endsLater = false;
  /** Requests of the execution before may be open that this one hasn't come to. */
  private mayHaveUnasked: boolean;

  constructor(
    private readonly context: RunContext,
    carry: Carry,
    { entries: carried, answers, trial }: CarriedLog,
  ) {
    const { start, limits, runId, engine } = context;
    this.mirror = new Mirror(carry.mirrored, false);
    this.counter = new RunCounter(carried.length);
    this.effects = new OpenEffects(context, carry.deadlines, (position) => this.program.askedAt(position));
    const steering = steeringOf(context);
    this.mayHaveUnasked = changesOf(engine)('reads-of-the-log');
    this.program = new Program({
      ...optionsOfStart(start, carry),
      // What follows from the run's id came of the one that is tried.
      ...{ runId: trial?.of ?? runId, limits, carried, answers, trial, engine },
      isSteered: (agent) => steering.isFor(agent),
      takeSteering: (agent) => steering.take(agent),
    });
    const { mirror, program, effects } = this;
    this.facts = new LiveFacts(context, effects, program, carry);
    this.handed = {
      ...{ context, carry, program, effects },
      get mirrored() {
        return mirror.told;
      },
    };
    this.continuing = new Continuing(this.handed, carried.length);
    context.pausing.listen(this.effects, () => this.facts.status);
  }

  /** @throws TactusError what the procedure failed with; a cancellation */
  async execute(): Promise<Ending> {
    const { context } = this;
    const { sequence, localWork, inbox, pausing, changing } = context;
    for (let isAnswered = true; ;) {
      if (isAnswered) {
        const turn = this.program.turn();
        if (turn.kind === 'slice') {
          this.listen();
          this.tell();
          await this.afterSlice();
          continue;
        }
        if (turn.kind !== 'blocked') {
          if (!pausing.isOn) return this.end(turn);
        } else if (!this.effects.begin(turn))
          await this.effects.beginInParts(turn, () => this.barrier('much is sent in parts'));
        if (this.mayHaveUnasked) inbox.withdrawUnasked();
        this.mayHaveUnasked = false;
        this.show();
        this.listen();
      }
      isAnswered = this.tellNext() || (this.program.hasEnded && !pausing.isOn) || this.mustTurn;
      this.mustTurn = false;
      if (isAnswered) continue;
      this.effects.cancelLeftovers();
      const isCancelling = context.cancelling !== null;
      const isDue = !isCancelling && (context.passEnd !== null || this.continuing.isLong);
      if (isDue && (await this.continuing.canContinue())) return this.continueAsNew();
      const isChanging = !isCancelling && changing.asked !== null && context.passEnd === null;
      if (isChanging && (await settleChange(this.changeParts))) return this.continueAsNew();
      // Nothing is awaited that isn't there: the order of what follows depends on it.
      const isRetrying = !isCancelling && context.passEnd === null && isRetryAwaited(context);
      if (isRetrying && (await settleRetryHere(this.changeParts))) return this.continueAsNew();
      if (localWork.needsBarrier && !localWork.isBehind && this.effects.isChangeNext) {
        await this.barrier('all before a change is recorded');
        continue;
      }
      const local = localWork.isBehind ? undefined : this.effects.takeLocal();
      if (local !== undefined) {
        localWork.isUnderWay = true;
        let done: LocalAnswer<Outcome>;
        // Awaited here, for each promise in between costs more than a step of Lua: the SDK keeps its stack trace.
        try {
          done = await this.effects.beginLocal(local);
        } catch (error) {
          done = failedTask(local, error, context.now());
        }
        localWork.isUnderWay = false;
        localWork.performed();
        this.effects.endLocal(local, done);
        this.continuing.addLocal();
        if (localWork.isLong(done.since ?? null, done.at))
          await this.barrier('a long row of local activities goes on');
        continue;
      }
      // What was begun elsewhere instead may have failed at once.
      if (this.effects.hasAnswers) continue;
      const part = this.effects.takePart();
      if (part !== null) {
        if (!this.effects.send(part)) {
          await this.barrier('much is sent in parts');
          this.effects.send(part);
        }
        continue;
      }
      this.tell();
      if (sequence.isEmpty) await sequence.arrival();
      else await drained();
      this.takeEvent();
    }
  }

  /** The messages of a model call that is open; null where there is none at this position. */
  conversationAt(position: Position): readonly Message[] | null {
    const effect = this.effects.at(position);
    return effect?.kind === 'model_call' ? effect.call.messages : null;
  }

  /** What the change is proved by that waits; null: none does. */
  get waitingChange(): WaitingChange | null {
    return waitingChange(this.handed);
  }

  /** Something changed that people may see. */
  private show(): void {
    const { facts, context } = this;
    facts.changed();
    setCurrentDetails(currentDetails(facts));
    const { searchAttributes: known = false } = context.start;
    // Older versions knew of two attributes, and took any other word for none.
    this.attributes.update(facts, changesOf(context.engine)('labels') ? known : known === true);
    this.mirror.gather(facts);
    this.counter.skipReplayed(facts, this.program.instructions);
  }

  private end(turn: Extract<Turn, { kind: 'completed' | 'failed' }>): Ending {
    if (turn.kind === 'failed') throw turn.error;
    endCancelling(this.context);
    this.close('completed', turn.output, null);
    return turn;
  }

  close(status: RunStatus, output: JsonValue, error: TactusError | null): void {
    this.facts.ending = { status, output, error: error?.toRunError() ?? null, at: Date.now() };
    this.listen();
    this.show();
    this.tell();
  }

  /** Nothing more follows for now: tells what there is to tell beside the run. */
  private tell(): void {
    this.mirror.tell(this.facts);
    this.counter.count(this.facts, this.program.instructions);
  }

  /** The run was asked to end. False: it has nothing to do first, or has had its time for that. */
  beginCancelling(): boolean {
    const isLeaving = this.isLeaving || this.facts.ending !== null;
    if (isLeaving || !beginCancelling(this.handed)) return false;
    this.mustTurn = true;
    return true;
  }

  /** Takes decisions and changes by Update from now on. */
  private listen(): void {
    this.context.inbox.listen();
    this.context.changing.listen();
  }

  private async afterSlice(): Promise<void> {
    if (await this.context.localWork.afterSlice(this.effects.isAlone)) this.continuing.addBarrier();
    else this.continuing.addLocal();
  }

  private async barrier(summary: string): Promise<void> {
    await this.context.localWork.barrier(summary);
    this.continuing.addBarrier();
  }

  /** Tells the procedure of an answer; false where there is none. */
  private tellNext(): boolean {
    const answer = this.effects.takeAnswer();
    if (answer === undefined) return false;
    this.continuing.addAnswer(answer);
    this.program.settle(answer.request.position, answer.outcome, answer.at);
    return true;
  }

  private takeEvent(): void {
    const event = this.context.sequence.take();
    if (event === undefined) return;
    this.context.localWork.eventTaken();
    this.continuing.addEvent(event);
    this.perform(event);
    this.show();
  }

  /**
   * The run's clock goes on with what the procedure is told alone: when a signal came that nothing follows from, a replay
   * may see otherwise.
   */
  private perform({ at, run }: Event): void {
    const { clock } = this.context;
    const before = clock.now;
    clock.now = Math.max(before, at);
    run();
    if (!this.effects.hasAnswers && !this.mustTurn) clock.now = before;
  }

  /** Hands everything to the next execution, with what has arrived and hasn't had its turn. */
  private async continueAsNew(): Promise<Ending> {
    const { inbox, changing } = this.context;
    this.isLeaving = true;
    inbox.verifying.handOver();
    inbox.delivering.hold();
    changing.end('busy');
    const isCancelled = this.settleLasting() || this.endsLater;
    // Who sent an Update has the verdict before the run goes.
    await drained();
    this.tell();
    this.program.drain();
    const { carry, ...start } = nextStart(this.handed);
    const next = { ...start, carry: { ...carry, ...(isCancelled ? { cancelled: true as const } : {}) } };
    return { kind: 'continue', log: nextLog(this.handed), start: next, taskMs: this.continuing.nextTaskMs };
  }

  /** What was sent must not be lost when this execution ends. Gives whether the run was asked to end, too. */
  settleLasting(): boolean {
    let isCancelled = false;
    for (const event of this.context.sequence.takeLasting())
      if (isCancelledBy(() => this.perform(event))) isCancelled = true;
    return isCancelled;
  }

  private get changeParts(): ChangeParts {
    return {
      ...this.handed,
      addBarrier: () => this.continuing.addBarrier(),
      takeNext: async () => {
        if (this.context.sequence.isEmpty) await this.context.sequence.arrival();
        else await drained();
        if (isCancelledBy(() => this.takeEvent())) this.endsLater = true;
      },
      fitsNext: () => this.continuing.fitsNext(),
    };
  }
}
