import type { AssistantContent, ContentPart, ProviderMetadata, ToolSet } from 'ai';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Message, ModelCall, Thoughts, ThoughtPart } from '../../contract/models/model-call.js';

type Part = Exclude<AssistantContent, string>[number];
type Assistant = Extract<Message, { role: 'assistant' }>;

/** Whose thoughts a call takes: another model, or another API, would refuse them. */
export function thinkerOf(provider: string, model: string, { settings }: ModelCall): string {
  return `${provider}/${model}${settings.modelType === 'responses' ? '#responses' : ''}`;
}

/**
 * What a model thought for an answer, with what its provider wants back of it: where it stands among the words and the calls,
 * signatures, and encrypted forms. Null: there is none, or the provider ran tools in between, which aren't kept.
 */
export function thoughtsIn(content: readonly ContentPart<ToolSet>[], by: string): Thoughts | null {
  const parts: ThoughtPart[] = [];
  let calls = 0;
  for (const part of content) {
    if (part.type === 'tool-call' && part.providerExecuted === true) return null;
    if (part.type === 'text') parts.push({ said: part.text.length, ...metaOf(part.providerMetadata) });
    if (part.type === 'reasoning') parts.push({ thought: part.text, ...metaOf(part.providerMetadata) });
    if (part.type === 'tool-call') parts.push({ call: calls++, ...metaOf(part.providerMetadata) });
  }
  const isWorthIt = parts.some((part) => 'thought' in part || isSigned(part.meta));
  return isWorthIt ? { by, parts } : null;
}

function metaOf(metadata: ProviderMetadata | undefined): { meta?: JsonObject } {
  if (metadata === undefined) return {};
  const meta = JSON.parse(JSON.stringify(metadata)) as JsonObject;
  return Object.keys(meta).length === 0 ? {} : { meta };
}

/** Gemini signs words and calls in place of thoughts. */
function isSigned(meta: JsonObject | undefined): boolean {
  return Object.values(meta ?? {}).some((each: JsonValue) => isObject(each) && 'thoughtSignature' in each);
}

/** The answer with its thoughts where they stood; null where it has none of this thinker. */
export function withThoughts(
  { content, thoughts }: Assistant,
  calls: readonly Part[],
  by: string,
): Part[] | null {
  if (thoughts === undefined || thoughts.by !== by) return null;
  const last = thoughts.parts.findLastIndex((part) => 'said' in part);
  const left = [...calls];
  let from = 0;
  const parts = thoughts.parts.flatMap((part, i): Part[] => {
    const options = part.meta === undefined ? {} : { providerOptions: part.meta as ProviderMetadata };
    if ('thought' in part) return [{ type: 'reasoning', text: part.thought, ...options }];
    if ('said' in part) {
      const text = content.slice(from, i === last ? undefined : from + part.said);
      from += part.said;
      return text.trim() === '' && part.meta === undefined ? [] : [{ type: 'text', text, ...options }];
    }
    const call = left.shift();
    return call === undefined ? [] : [{ ...call, ...options }];
  });
  return [...parts, ...left];
}

/**
 * Whether the model may be asked to think now. Claude refuses to where the calls that it is to go on from were made without: by
 * another model, or in a run that kept no thoughts.
 */
export function mayThink(messages: readonly Message[], provider: string, by: string): boolean {
  if (provider !== 'anthropic' && provider !== 'bedrock') return true;
  if (messages.at(-1)?.role !== 'tool') return true;
  const last = messages.findLast((message) => message.role === 'assistant');
  return last?.thoughts?.by === by;
}

/** Words between which models write what they think into their answer. */
const marks = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['[THINK]', '[/THINK]'],
] as const;

/** An answer without what the model thought before it, where its server doesn't part the two. */
interface AnswerWithoutReasoning {
  text: string;
  hasThought: boolean;
}

export function withoutReasoning(text: string): AnswerWithoutReasoning {
  let rest = text;
  for (let thought = thoughtAt(rest); thought !== null; thought = thoughtAt(rest)) {
    const end = rest.indexOf(thought.close, thought.start);
    rest = end < 0 ? '' : rest.slice(end + thought.close.length);
  }
  const spoken = afterLoneClose(rest);
  return spoken === text ? { text, hasThought: false } : { text: spoken.trimStart(), hasThought: true };
}

/** Where a thought begins the text. */
function thoughtAt(text: string): { start: number; close: string } | null {
  const start = text.search(/\S/);
  const found = marks.find(([open]) => start >= 0 && text.startsWith(open, start));
  return found === undefined ? null : { start: start + found[0].length, close: found[1] };
}

/** Templates of some models begin the thought themselves: all that comes of its marks is its end, on a line of its own. */
function afterLoneClose(text: string): string {
  for (const [open, close] of marks) {
    const at = text.indexOf(close);
    if (at < 0 || text.slice(0, at).includes(open)) continue;
    const after = text.slice(at + close.length);
    if (/(^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 80), at)) || /^\s*(\n|$)/.test(after)) return after;
  }
  return text;
}

/** Passes on what is said, as it comes, without the thought that it begins with. */
export class ReasoningFilter {
  private held = '';
  private isSpeaking = false;
  private hasThought = false;

  constructor(private readonly onText: (text: string) => void) {}

  add(piece: string): void {
    if (this.isSpeaking) {
      this.onText(piece);
      return;
    }
    this.held += piece;
    for (let thought = thoughtAt(this.held); thought !== null; thought = thoughtAt(this.held)) {
      const end = this.held.indexOf(thought.close, thought.start);
      if (end < 0) return;
      this.held = this.held.slice(end + thought.close.length);
      this.hasThought = true;
    }
    const begun = this.held.trimStart();
    if (this.hasThought) this.held = begun;
    if (!marks.some(([open]) => open.startsWith(begun))) this.speak();
  }

  /** What may have been the beginning of a mark is none. */
  end(): void {
    if (thoughtAt(this.held) === null) this.speak();
  }

  private speak(): void {
    this.isSpeaking = true;
    if (this.held !== '') this.onText(this.held);
    this.held = '';
  }
}
