import type { JsonValue } from '../../contract/json/json.js';
import type { Message, ModelCallResult, ProviderCall, Source } from '../../contract/models/model-call.js';
import type { Exhausted } from '../budgets/exhausted.js';
import type { TurnConversation } from './turn-conversation.js';
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
