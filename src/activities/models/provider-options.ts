import {
  jsonSchema,
  tool,
  TypeValidationError,
  type AssistantContent,
  type ContentPart,
  type ProviderMetadata,
  type ToolSet,
} from 'ai';
import { TactusError } from '../../contract/errors.js';
import { defined, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type {
  Message,
  ModelCall,
  Thoughts,
  ThoughtPart,
  ModelCallResult,
} from '../../contract/models/model-call.js';
import { needsResponses, runnerOf, type ProviderTool } from '../../contract/models/provider-tool.js';
import { visibleName } from '../../contract/tools/outside-tool.js';
import { judgeCall, noPolicy, type ToolPolicy } from '../../contract/tools/tool-policy.js';
import { Fault } from '../retries/failures.js';
import { approvalProblem } from '../tools/refusal.js';

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

/** Revisions of Anthropic's, of those that all of its models take. */
const revisions: Readonly<Record<string, string>> = {
  web_search: '20250305',
  web_fetch: '20250910',
  code_execution: '20250825',
};

/** What of a call's tools goes to the provider. */
interface SentTools {
  sent: ProviderTool[];
  /** What is told of the rest. */
  withheld: Pick<ModelCallResult, 'withheld'>;
}

/**
 * The tools of a call that the provider runs, as far as the worker's own policy lets them go out now, whatever the run was told.
 * @throws TactusError unknown_model where none of them is of the provider, or not by this API
 */
export function sentTools(
  { providerTools = [], settings }: ModelCall,
  provider: string,
  policy: ToolPolicy = noPolicy,
): SentTools {
  const own = providerTools.filter(({ source }) => runnerOf(source) === provider);
  const [foreign] = own.length === 0 ? providerTools : [];
  if (foreign !== undefined)
    throw new TactusError(
      'unknown_model',
      `${provider} has no ${foreign.source}: give the agent another model`,
    );
  const unreachable = own.find(({ source }) => needsResponses(source) && settings.modelType !== 'responses');
  if (unreachable !== undefined)
    throw new TactusError('unknown_model', `${unreachable.source} needs model_type = "responses"`);
  const judged = own.map((each) => ({ ...each, reason: problemOf(each, policy) }));
  const withheld = judged.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }]));
  return {
    sent: judged.filter(({ reason }) => reason === null),
    withheld: withheld.length === 0 ? {} : { withheld },
  };
}

function problemOf(
  { name, source, args, procedure, approval }: ProviderTool,
  policy: ToolPolicy,
): string | null {
  const { action, rule } = judgeCall(policy, { names: [source, visibleName(source)], procedure, args });
  const withheld = `${name} was not given to the model`;
  if (action === 'deny') return `${withheld}: the worker's policy forbids ${source}`;
  if (action === 'allow' && approval === undefined) return null;
  const problem = approvalProblem({ source, args, ...defined({ approval }) }, rule);
  return problem === null ? null : `${withheld}: the approval of ${source} ${problem}`;
}

/** As the AI SDK has them. */
export function providerToolSet(tools: readonly ProviderTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, source, args }) => [
      name,
      tool({
        type: 'provider',
        isProviderExecuted: true,
        id: idOf(source),
        args: camelKeys(args) as Record<string, unknown>,
        inputSchema: jsonSchema({}),
        outputSchema: jsonSchema({}),
      }),
    ]),
  );
}

/** What the provider's package finds wrong with how a tool is set up, before anything is sent; null: it is something else. */
export function wrongArgs(error: unknown, tools: ToolSet): Fault | null {
  if (!TypeValidationError.isInstance(error)) return null;
  const isIts = (each: ToolSet[string]): boolean => each.type === 'provider' && each.args === error.value;
  const [name] = Object.entries(tools).find(([, each]) => isIts(each)) ?? [];
  if (name === undefined) return null;
  const { issues = [] } = error.cause as { issues?: { path: PropertyKey[]; message: string }[] };
  const found = issues.map(({ path, message }) => `${path.map(written).join('.')}: ${message}`);
  return new Fault(`takes no such args of ${name}: ${found.join('; ')}`, { retryable: false });
}

/** Those of OpenAI's models in Azure are OpenAI's. */
function idOf(source: string): `${string}.${string}` {
  const [, provider = '', name = ''] = source.split('.');
  if (provider === 'anthropic') return `anthropic.${name}_${revisions[name] ?? ''}`;
  return `${provider === 'azure' ? 'openai' : provider}.${name}`;
}

/** `searchContextSize` for `search_context_size`. */
function camelKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (!isObject(value)) return value;
  const camel = (name: string): string =>
    name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), camelKeys(each)]));
}

/** `search_context_size` for `searchContextSize`. */
function written(name: PropertyKey): string {
  return String(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
