import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { Message, ModelCallResult, ProviderCall, Source } from '../../contract/models/model-call.js';
import type { Exhausted } from '../budgets/exhausted.js';
import { charactersPerToken } from './history.js';
import { addCost, type TurnCost, type TurnResult } from './turn-result.js';

/** How far a turn has come. */
export class TurnProgress {
  private readonly usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  /** By their addresses: each once. */
  private readonly sources = new Map<string, Source>();
  private readonly calls: ProviderCall[] = [];
  private cost: TurnCost | null = { prompt_cost: 0, completion_cost: 0 };

  /** @param idOf id of a message of the history */
  constructor(
    readonly said: TurnConversation,
    private readonly idOf: (message: Message) => number | null,
  ) {}

  pay({ usage: paid }: ModelCallResult): void {
    const { usage } = this;
    usage.prompt_tokens += paid.input_tokens;
    usage.completion_tokens += paid.output_tokens;
    usage.total_tokens = usage.prompt_tokens + usage.completion_tokens;
    this.cost = addCost(this.cost, paid);
  }

  /** What the provider has done itself for an answer, and what it found for it. */
  hear({ sources = [], providerCalls = [] }: ModelCallResult): void {
    for (const source of sources)
      if (source.title !== undefined || !this.sources.has(source.url)) this.sources.set(source.url, source);
    this.calls.push(...providerCalls);
  }

  ended(output: JsonValue): TurnResult {
    return this.result(output, this.said.added);
  }

  /** What the model has said last is the output of a turn that stopped; one that never heard of its model leaves no trace. */
  stopped(stop: Exhausted): TurnResult {
    const { added } = this.said;
    const last = added.filter(({ role }) => role === 'assistant').at(-1);
    return { ...this.result(last?.content || null, last === undefined ? [] : added), exhausted: stop };
  }

  private result(output: JsonValue, messages: readonly Message[]): TurnResult {
    const { usage, cost, calls } = this;
    const sources = [...this.sources.values()];
    const { compacted } = this.said;
    return {
      output,
      usage,
      ...(cost === null ? {} : { cost: { ...cost } }),
      messages: messages as unknown as JsonValue,
      ...(sources.length === 0 ? {} : { sources: sources.map((each) => ({ ...each })) }),
      ...(calls.length === 0 ? {} : { provider_calls: calls.map((each) => ({ ...each })) }),
      ...(compacted === null
        ? {}
        : {
            compacted: {
              summary: compacted.summary,
              up_to: compacted.last === null ? null : this.idOf(compacted.last),
              added: compacted.added,
            },
          }),
    };
  }
}

/** Messages round the history, and the history, as a turn begins with them. */
export interface Surrounded {
  head: readonly Message[];
  history: readonly Message[];
  tail: readonly Message[];
  /** Stands for what was said before the history; null: nothing was. */
  summary: string | null;
}

/** How much of the conversation a summary stands for. */
interface Cut {
  /** The last message of the history that it stands for; null: none of them. */
  last: Message | null;
  /** How many that the turn has added it stands for, from its first on. */
  added: number;
}

/**
 * What a model is sent in one turn: the history and what surrounds it, and what the turn adds. The older part of both may
 * have been summed up; what the turn was asked stays as it is.
 */
export class TurnConversation {
  /** What the turn adds to the conversation of the run: all of it, summed up or not. */
  readonly added: Message[] = [];
  /** How much of it what was asked takes. */
  private asked = 0;
  private summary: string | null;
  private cut = { history: 0, added: 0 };

  constructor(private readonly before: Surrounded) {
    ({ summary: this.summary } = before);
  }

  /** What the turn is asked. */
  ask(message: Message): void {
    this.added.push(message);
    this.asked = this.added.length;
  }

  get messages(): Message[] {
    const { head, tail } = this.before;
    const asked = this.added.slice(0, this.asked);
    return [...head, ...this.summed, ...this.history, ...tail, ...asked, ...this.answered];
  }

  /** Estimated. */
  get tokens(): number {
    return tokensOf(this.messages);
  }

  /**
   * The messages that a summary may stand for: all but the newest, one at least, and as many as fit into `keep` tokens.
   */
  olderThan(keep: number): { history: number; added: number } {
    const { history, answered } = this;
    const all = [...history, ...answered];
    let first = all.length;
    let tokens = 0;
    for (let at = all.length - 1; at >= 0; at--) {
      const message = all[at] as Message;
      tokens += tokensOf([message]);
      const isNewest = first === all.length;
      if (tokens > keep && !isNewest) break;
      // A result isn't parted from its call.
      if (message.role !== 'tool') first = at;
    }
    return { history: Math.min(first, history.length), added: Math.max(0, first - history.length) };
  }

  /** From now on a summary stands for so many more. */
  sumUp(summary: string, older: { history: number; added: number }): void {
    this.summary = summary;
    this.cut = { history: this.cut.history + older.history, added: this.cut.added + older.added };
  }

  /** What was summed up in this turn; null: nothing. */
  get compacted(): ({ summary: string } & Cut) | null {
    const { history, added } = this.cut;
    if (this.summary === null || history + added === 0) return null;
    const last = this.before.history[history - 1] ?? null;
    return { summary: this.summary, last, added: added === 0 ? 0 : this.asked + added };
  }

  private get summed(): Message[] {
    return this.summary === null ? [] : [summaryMessage(this.summary)];
  }

  private get history(): readonly Message[] {
    return this.before.history.slice(this.cut.history);
  }

  private get answered(): readonly Message[] {
    return this.added.slice(this.asked + this.cut.added);
  }
}

function summaryMessage(summary: string): Message {
  return { role: 'user', content: `The conversation so far, summed up:\n\n${summary}` };
}

function tokensOf(messages: readonly Message[]): number {
  const characters = messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return sum + message.content.length + (calls.length === 0 ? 0 : jsonSize(calls as unknown as JsonValue));
  }, 0);
  return Math.ceil(characters / charactersPerToken);
}
