import {
  budgetMeasures,
  measureNames,
  type Amounts,
  type Budget,
  type BudgetEnd,
  type BudgetMeasure,
  type BudgetUse,
  type BudgetView,
  type CallCeiling,
  type CallsUsed,
} from '../../contract/budgets/budget.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import { defined } from '../../contract/json/json.js';
import { exact, type RunUsage } from '../../contract/models/model-call.js';

/** What somebody is about to use. Tokens and dollars are estimates: what it comes to is counted afterwards. */
export interface Need extends Amounts {
  /** Who, for people: `writer: a call of openai/gpt-5-mini`. */
  what: string;
  /** It is a call of a model, whose answer says what it has used. */
  isCall?: true;
}

/** What a budget has too little of. */
export interface Shortage {
  scope: BudgetScope;
  measure: BudgetMeasure;
  limit: number;
  used: number;
  /** It would fit, were it not for calls under way that may take less than they hold. */
  isHeld: boolean;
  /** The model whose price isn't known, where nobody can say what was spent. */
  unpriced: string | null;
}

/** One budget, and what was used of it. What belongs to several counts in each. */
export class BudgetScope {
  readonly onExhausted: BudgetEnd;
  readonly approvers: readonly string[];
  /** Where a person is asked for more. */
  asking: Position | null = null;
  private limits: Amounts;
  /** As declared: by so much it grows. */
  private readonly declared: Amounts;
  private used: Required<Amounts> = {
    tokens: 0,
    costUsd: 0,
    turns: 0,
    modelCalls: 0,
    toolCalls: 0,
    timeMs: 0,
  };
  private unpriced: string | null = null;
  /** Who gave no more, for the message. */
  private refusals = new Map<BudgetMeasure, string>();

  /** @param startedAt in ms since 1970 */
  constructor(
    readonly name: string,
    { onExhausted = 'ask', approvers = [], ...limits }: Budget,
    private startedAt: number,
    /** It bounds calls of models alone, and nobody has written it: `Budget.left` and `status` leave it out. */
    readonly isCeiling = false,
    /** Calls of models by the runs above, before this one. */
    private readonly callsBefore = 0,
  ) {
    this.used.modelCalls = callsBefore;
    this.onExhausted = onExhausted;
    this.approvers = approvers;
    this.limits = { ...limits };
    this.declared = limits;
  }

  /** For another pass of the run. */
  handOver(): BudgetUse {
    const { startedAt, limits, used, unpriced, refusals } = this;
    return { startedAt, limits, used, unpriced, refusals: Object.fromEntries(refusals) };
  }

  /** Goes on with what was used of it in another pass. */
  goOnWith({ startedAt, limits, used, unpriced, refusals }: BudgetUse): this {
    this.startedAt = startedAt;
    this.limits = { ...limits };
    this.used = { ...used };
    this.unpriced = unpriced;
    this.refusals = new Map(Object.entries(refusals) as [BudgetMeasure, string][]);
    return this;
  }

  /** What there is too little of for this; null: nothing. @param held what calls under way may take */
  shortOf(need: Need, held: Amounts, now: number): Shortage | null {
    for (const measure of budgetMeasures) {
      const limit = this.limits[measure];
      const needed = measure === 'timeMs' ? 0 : need[measure];
      if (limit === undefined || needed === undefined) continue;
      const used = this.usedOf(measure, now);
      const unpriced = measure === 'costUsd' ? this.unpriced : null;
      const isShort = (of: number): boolean => of >= limit || of + needed > limit;
      if (unpriced === null && !isShort(used + (held[measure] ?? 0))) continue;
      const isHeld = unpriced === null && !isShort(used);
      return { scope: this, measure, limit, used, isHeld, unpriced };
    }
    return null;
  }

  /** @param model who was paid, for the message where nobody knows how much */
  charge({ input_tokens, output_tokens, cost_usd, calls }: RunUsage, model: string): void {
    this.used.tokens += input_tokens + output_tokens;
    if (cost_usd === null) this.unpriced ??= model;
    else this.used.costUsd += cost_usd;
    if (calls !== undefined) this.chargeCalls(calls);
  }

  /** Of a run that was started here: whom it has asked for more of the ceiling needn't be asked again. */
  private chargeCalls({ used, turns, toolCalls, granted, refusal }: CallsUsed): void {
    this.count({ ...defined({ turns, toolCalls }), modelCalls: used });
    if (!this.isCeiling) return;
    const { modelCalls } = this.limits;
    if (granted === null) this.lift('modelCalls');
    else if (modelCalls !== undefined) this.limits.modelCalls = modelCalls + granted;
    if (refusal !== undefined) this.refuse('modelCalls', refusal);
  }

  /** Calls since this run began, for the run above. */
  get calls(): CallsUsed {
    const { modelCalls: first } = this.declared;
    const { modelCalls: limit } = this.limits;
    const refusal = this.refusalOf('modelCalls');
    return {
      used: this.used.modelCalls - this.callsBefore,
      turns: this.used.turns,
      toolCalls: this.used.toolCalls,
      granted: first === undefined ? 0 : limit === undefined ? null : limit - first,
      ...(refusal === null ? {} : { refusal }),
    };
  }

  /** For a run that is started here. */
  get ceiling(): CallCeiling {
    const { modelCalls: limit = 0 } = this.limits;
    const refusal = this.refusalOf('modelCalls');
    return { limit, used: this.used.modelCalls, ...(refusal === null ? {} : { refusal }) };
  }

  count({ turns = 0, modelCalls = 0, toolCalls = 0 }: Amounts): void {
    this.used.turns += turns;
    this.used.modelCalls += modelCalls;
    this.used.toolCalls += toolCalls;
  }

  /** A person has said that there isn't to be more. */
  refuse(measure: BudgetMeasure, refusal: string): void {
    this.refusals.set(measure, refusal);
  }

  refusalOf(measure: BudgetMeasure): string | null {
    return this.refusals.get(measure) ?? null;
  }

  /** As much again as there was at first. */
  raise(measure: BudgetMeasure, now: number): void {
    const limit = this.limits[measure];
    if (limit === undefined) return;
    this.limits[measure] = Math.max(limit, this.usedOf(measure, now)) + this.step(measure);
  }

  lift(measure: BudgetMeasure): void {
    delete this.limits[measure];
  }

  step(measure: BudgetMeasure): number {
    return this.declared[measure] ?? 0;
  }

  /** Of what is bounded; none of it is negative. */
  left(now: number): Amounts {
    const left: Amounts = {};
    for (const [measure, limit] of this.bounded())
      left[measure] = Math.max(0, limit - this.usedOf(measure, now));
    return left;
  }

  /** US dollars that a token has cost on average; 0 where nothing was spent yet. */
  get costOfToken(): number {
    return this.used.tokens === 0 ? 0 : this.used.costUsd / this.used.tokens;
  }

  /** @param now in ms since 1970 */
  view(now: number): BudgetView {
    const shown = (amounts: (measure: BudgetMeasure, limit: number) => number): Record<string, number> =>
      Object.fromEntries(
        this.bounded().map(([measure, limit]) => {
          const amount = amounts(measure, limit);
          return [measureNames[measure], measure === 'timeMs' ? amount / 1_000 : exact(amount)];
        }),
      );
    return {
      of: this.name,
      on_exhausted: this.onExhausted,
      limits: shown((_, limit) => limit),
      used: shown((measure) => this.usedOf(measure, now)),
    };
  }

  private bounded(): [BudgetMeasure, number][] {
    return budgetMeasures.flatMap((measure) => {
      const limit = this.limits[measure];
      return limit === undefined ? [] : [[measure, limit] as [BudgetMeasure, number]];
    });
  }

  private usedOf(measure: BudgetMeasure, now: number): number {
    return measure === 'timeMs' ? now - this.startedAt : exact(this.used[measure]);
  }
}
