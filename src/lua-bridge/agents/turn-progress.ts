import { asJson, jsonSize, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type {
  CallUsage,
  Message,
  ModelCallResult,
  ProviderCall,
  Source,
} from '../../contract/models/model-call.js';
import type { Exhausted } from '../budgets/afford.js';
import { lua, pushJson, pushText, setField, toText, type CFunction, type LuaState } from '../kernel/index.js';

/** What a token of English text is worth, as the reference has it. */
export const charactersPerToken = 4;

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
      messages: asJson(messages),
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
    return sum + message.content.length + (calls.length === 0 ? 0 : jsonSize(calls));
  }, 0);
  return Math.ceil(characters / charactersPerToken);
}

/** What a turn gave: `result.output`, `result.usage`. */
export interface TurnResult extends JsonObject {
  output: JsonValue;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** The messages that this turn added to the conversation. */
  messages: JsonValue;
  /** Left out where the model's price isn't known. */
  cost?: TurnCost;
  /** The budget that it stopped for, before it had an answer; left out where it has one. */
  exhausted?: Exhausted;
  /** What a summary stands for from now on: up to this message's id, and so many of `messages`. */
  compacted?: { summary: string; up_to: number | null; added: number };
  /** How sure the model is of each label that it could choose, from 0 to 1; left out where it doesn't say. */
  confidences?: Record<string, number>;
  /** Pages that the provider's own tools found; left out where there are none. */
  sources?: { url: string; title?: string }[];
  /** What the provider ran itself; left out where it ran nothing. */
  provider_calls?: { name: string; arguments: JsonValue }[];
}

/** In US dollars. */
export interface TurnCost extends JsonObject {
  prompt_cost: number;
  completion_cost: number;
}

/** With another call; null where what one of them cost isn't known. */
function addCost(
  before: TurnCost | null,
  { input_usd: input, output_usd: output }: CallUsage,
): TurnCost | null {
  if (before === null || input === undefined || output === undefined) return null;
  return { prompt_cost: before.prompt_cost + input, completion_cost: before.completion_cost + output };
}

/** What a turn cost, as authors see it: 0 where the model's price isn't known. */
export function costOf(usage: JsonObject, cost: TurnCost | null): JsonObject {
  const { prompt_cost, completion_cost } = cost ?? { prompt_cost: 0, completion_cost: 0 };
  return { total_cost: prompt_cost + completion_cost, prompt_cost, completion_cost, ...usage };
}

function outputText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/**
 * Pushes what a turn gave: a table with `output` and `usage`. All other names for them, and the messages, come from its
 * metatable, so that a result which is kept or returned holds each thing once.
 */
export function pushTurnResult(
  L: LuaState,
  result: TurnResult,
  conversation: (L: LuaState) => JsonValue,
): void {
  const {
    output,
    usage,
    messages,
    cost = null,
    confidences = null,
    exhausted = null,
    sources = null,
    provider_calls = null,
  } = result;
  const values: Record<string, JsonValue> = {
    ...{ text: outputText(output), value: output, data: output, messages },
    // Nothing that stands for nothing: a name that isn't there is nil.
    ...(confidences === null ? {} : { confidences, confidence: Math.max(...Object.values(confidences)) }),
    ...(exhausted === null ? {} : { exhausted }),
    ...(sources === null ? {} : { sources }),
    ...(provider_calls === null ? {} : { provider_calls }),
  };
  const functions: Record<string, (L: LuaState) => JsonValue> = {
    cost: () => costOf(usage, cost),
    new_messages: () => messages,
    all_messages: conversation,
  };
  const index: CFunction = (thread) => {
    const key = toText(thread, 2) ?? '';
    if (Object.hasOwn(values, key)) pushJson(thread, values[key] ?? null);
    else if (Object.hasOwn(functions, key))
      lua.lua_pushcfunction(thread, (inner) => {
        pushJson(inner, functions[key]?.(inner) ?? null);
        return 1;
      });
    else lua.lua_pushnil(thread);
    return 1;
  };
  const tostring: CFunction = (thread) => {
    pushText(thread, outputText(output));
    return 1;
  };
  pushJson(L, { output, usage });
  lua.lua_createtable(L, 0, 3);
  for (const [name, fn] of Object.entries({ __index: index, __tostring: tostring })) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  lua.lua_pushboolean(L, false);
  setField(L, -2, '__metatable');
  lua.lua_setmetatable(L, -2);
}
