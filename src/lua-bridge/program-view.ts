import type { BudgetView, CallsUsed } from '../contract/budgets/budget.js';
import type { JsonObject } from '../contract/json/json.js';
import type { Marks } from '../contract/runs/marks.js';
import type { Pass, PassEnd } from '../contract/runs/pass.js';
import type { OpenSuperStep } from '../contract/graphs/super-step.js';
import type { SessionView } from '../contract/sessions/session-view.js';
import type { Observed } from '../contract/specifications/scenario.js';
import { cleanups, type Bridge, type Frame } from './kernel/index.js';
import { lastingBudgets } from './budgets/run-budgets.js';
import {
  describe,
  describeTests,
  summarize,
  type DeclaredTests,
  type Description,
  type ProcedureSummary,
} from './describe.js';
import { loading } from './procedures/procedure-declaration.js';
import { budgetViews, nextPass, nextTurn } from './main/lasting.js';
import { mainGraph, mainOf } from './main/main-procedure.js';
import { openSuperSteps } from './graphs/open-steps.js';
import { marks } from './progress/marks.js';
import { session } from './sessions/session-of-run.js';
import { shownState } from './state/state-store.js';
import { observed } from './specifications/specifications.js';

/** Time that a cancelled run has where its procedure says nothing, in ms. */
const defaultCancelMs = 5 * 60_000;

/** What is to be seen of a program, which goes on by nothing of this. Looking at it costs the run nothing. */
export abstract class ProgramView {
  protected abstract readonly bridge: Bridge;
  protected abstract readonly root: Frame;
  /** How many lines of this pass were shown. */
  protected abstract readonly shownSoFar: number;

  /** Names of compensations and deferred functions that have not ended, the next first, and what others of a cancelled run failed with. */
  get cleanup(): { left: string[]; problems: readonly string[] } {
    const { steps, problems } = cleanups.of(this.bridge);
    return { left: steps.map(({ step }) => step.name), problems };
  }

  /** Time for them in a run that was cancelled, in ms. */
  get cancelTimeoutMs(): number {
    return mainOf(this.bridge)?.cancelTimeoutMs ?? defaultCancelMs;
  }

  /** What the run fails with follows from a failure that people have given up. */
  get hasGivenUp(): boolean {
    return this.root.scope.attempted?.hasGivenUp === true;
  }

  /** Instructions of Lua that it has run, those of the carried log among them: what a replay runs. */
  get instructions(): number {
    return this.bridge.meter.replayed;
  }

  /** What the file has declared so far. */
  describe(): Description {
    return describe(this.bridge);
  }

  /** The top of the file has not ended yet, or has ended with an error. */
  get isLoading(): boolean {
    return !loading.of(this.bridge).hasEnded;
  }

  /** What the file has declared so far for its tests. */
  describeTests(): DeclaredTests {
    return describeTests(this.bridge);
  }

  /** What the file has declared so far, for people and tools. */
  summary(): ProcedureSummary {
    return summarize(this.bridge);
  }

  /** What tests look at; null where the run is none. */
  get observed(): Observed | null {
    return observed(this.bridge);
  }

  /** The state of the main procedure, as JSON; a note where it is too large. */
  state(): JsonObject {
    return shownState(this.bridge.L, this.root.scope.state);
  }

  /** The session of the run. */
  session(): SessionView {
    return session.of(this.bridge).view;
  }

  /** What the run is found and compared by. */
  get marks(): Marks {
    return marks.of(this.bridge).shown;
  }

  /** Super-steps of graphs that are under way. */
  superSteps(): OpenSuperStep[] {
    return openSuperSteps(this.bridge);
  }

  /** What the run may use, and has used: its own budget, and those of its procedure and its agents. */
  budgets(): BudgetView[] {
    return budgetViews(this.bridge, this.root);
  }

  /** What the run goes on with in its next pass; `execution`: the one that this pass ends with. */
  nextPass(end: PassEnd, execution: string): Pass {
    return nextPass(this.bridge, end, { execution, shown: this.shownSoFar });
  }

  /** What another turn of its thread begins with; null: no graph has come to anything. `execution`: the one that has ended. */
  nextTurn(execution: string): Pass | null {
    const ended = { execution, shown: this.shownSoFar };
    return nextTurn(this.bridge, this.root, this.state(), ended);
  }

  /** Whether the main part of the file is a graph: then the run is a thread, which has turns. */
  get isThread(): boolean {
    return mainGraph(this.bridge) !== null;
  }

  /** Calls of models that count for the run above; null: this engine counts none. */
  get calls(): CallsUsed | null {
    return lastingBudgets.of(this.bridge).get('ceiling')?.calls ?? null;
  }
}
