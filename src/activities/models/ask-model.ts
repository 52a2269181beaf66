import {
  generateText,
  jsonSchema,
  Output,
  streamText,
  tool,
  type AssistantModelMessage,
  type ModelMessage,
  type ProviderMetadata,
  type ToolCallPart,
  type ToolSet,
} from 'ai';
import { defined } from '../../contract/json/json.js';
import { TactusError } from '../../contract/errors.js';
import { defaultLimits } from '../../contract/runs/limits.js';
import type { Message, ModelCall, ToolCall, ToolSpec } from '../../contract/models/model-call.js';
import type { ProviderTool } from '../../contract/models/provider-tool.js';
import {
  mayThink,
  providerToolSet,
  ReasoningFilter,
  withoutReasoning,
  withThoughts,
  wrongArgs,
} from './provider-options.js';
import { idleWatch, type IdleWatch } from '../retries/failures.js';
import { idempotencyHeader } from '../http/http-exchange.js';
import type { Answer } from './model-result.js';
import { isStrictSchema, type OutputSchema } from './output-schema.js';
import type { Provider, ProviderModel } from './providers/provider.js';

export interface Question {
  model: ProviderModel;
  provider: Provider;
  call: ModelCall;
  /** Whose thoughts it takes: see `thinkerOf`. */
  thinker: string;
  /** Those of the call that the provider may run itself, now. */
  providerTools: readonly ProviderTool[];
  schema: OutputSchema | null;
  idempotencyKey: string;
  signal: AbortSignal;
  /** Makes the answer stream, and gets its text as it comes. */
  onText: ((text: string) => void) | null;
}

/** One request to one model through the AI SDK: no retry, no loop over tools. */
export async function askModel(question: Question): Promise<Answer> {
  // Whatever still runs when this ends, a stream that was given up say, ends with it.
  const end = new AbortController();
  const { idleTimeoutMs = 0, isBackground = false, isBatched = false } = question.call.settings;
  const isLate = isBackground || isBatched;
  // What is made in the background, or in a batch, says nothing before it is there.
  const idle = idleTimeoutMs > 0 && !isLate ? idleWatch(idleTimeoutMs) : null;
  const signals = [question.signal, end.signal, ...(idle === null ? [] : [idle.signal])];
  const request = { ...requestOf(question), abortSignal: AbortSignal.any(signals) };
  const wantsStream = question.onText !== null || question.provider.isStreamed || idle !== null;
  try {
    if (wantsStream && !isLate) return await stream(request, question.onText, idle);
    const answer = await generate(request);
    question.onText?.(withoutReasoning(answer.text).text);
    return answer;
  } catch (error) {
    // Libraries make something of their own of whatever a request was ended for.
    if (idle?.signal.aborted === true && !question.signal.aborted) throw idle.signal.reason;
    throw wrongArgs(error, request.tools) ?? error;
  } finally {
    idle?.end();
    end.abort();
  }
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

type Request = ReturnType<typeof requestOf> & { abortSignal: AbortSignal };

function requestOf({
  model,
  provider: { name: provider },
  call,
  providerTools,
  schema,
  idempotencyKey,
  thinker,
}: Question) {
  const {
    temperature,
    maxTokens,
    toolChoice,
    topP,
    seed,
    stop,
    reasoningEffort,
    verbosity,
    modelType,
    isBackground,
  } = call.settings;
  const tools = { ...modelTools(call.tools), ...providerToolSet(providerTools) };
  return {
    model,
    messages: modelMessages(call.messages, thinker),
    allowSystemInMessages: true,
    tools,
    headers: idempotencyHeader(idempotencyKey),
    maxRetries: 0,
    ...(call.system === null ? {} : { instructions: call.system }),
    ...defined({ temperature, maxOutputTokens: maxTokens, topP, seed, stopSequences: stop }),
    ...(toolChoice === undefined || Object.keys(tools).length === 0
      ? {}
      : { toolChoice: choiceOf(toolChoice) }),
    ...(schema === null ? {} : { output: outputOf(schema) }),
    ...(mayThink(call.messages, provider, thinker) ? reasoning(provider, reasoningEffort) : {}),
    providerOptions: {
      // Azure's models take OpenAI's options, xAI's some of them. Nothing of the conversation is kept there,
      // unless the answer is to be fetched later.
      [provider === 'azure' || provider === 'xai' ? provider : 'openai']: {
        ...(modelType === 'responses' || provider === 'xai' ? { store: isBackground === true } : {}),
        ...(schema === null ? {} : { strictJsonSchema: isStrictSchema(schema.schema) }),
        // Deployments in Azure have names that tell nothing of the model.
        ...defined({ reasoningEffort }),
        ...(reasoningEffort !== undefined && provider === 'azure' ? { forceReasoning: true } : {}),
        ...defined({ textVerbosity: verbosity }),
      },
    },
  };
}

function choiceOf(choice: NonNullable<ModelCall['settings']['toolChoice']>) {
  return typeof choice === 'string' ? choice : ({ type: 'tool', toolName: choice.tool } as const);
}

/** What the AI SDK translates for each provider; OpenAI is told in the author's own word, which may be a newer one. */
function reasoning(provider: string, effort: string | undefined) {
  const known = efforts.find((each) => each === effort);
  return known === undefined || provider === 'openai' ? {} : { reasoning: known };
}

/**
 * Tells the provider the schema, and leaves the reading of the answer to us: the AI SDK would throw a wrong one away,
 * and parse a streamed one from the start at each piece.
 */
function outputOf({ schema }: OutputSchema) {
  return {
    ...Output.object({ schema: jsonSchema(schema) }),
    parseCompleteOutput: ({ text }: { text: string }) => Promise.resolve(text),
    parsePartialOutput: () => Promise.resolve(undefined),
  };
}

async function generate(request: Request): Promise<Answer> {
  const result = await generateText(request);
  const { text, content, toolCalls, toolResults, finishReason, rawFinishReason, usage, sources } = result;
  return {
    ...{ text, content, toolCalls, toolResults, finishReason, rawFinishReason, usage, sources },
    model: result.response.modelId,
    ...confidencesOf(result.providerMetadata),
  };
}

async function stream(request: Request, onText: Question['onText'], idle: IdleWatch | null): Promise<Answer> {
  // Errors come as parts of the stream too; without a handler the AI SDK prints them. Of some events it makes nothing but
  // raw chunks, and each is a sign of life.
  const include = { rawChunks: idle !== null };
  const result = streamText({ ...request, onError: () => undefined, include });
  const spoken = onText === null ? null : new ReasoningFilter(onText);
  let length = 0;
  for await (const part of result.stream) {
    idle?.heard();
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw request.abortSignal.reason;
    if (part.type === 'text-delta') length += part.text.length;
    if (part.type === 'reasoning-delta') length += part.text.length;
    if (part.type === 'tool-input-delta') length += part.delta.length;
    if (length > defaultLimits.payloadBytes)
      throw new TactusError('payload_too_large', 'The answer is longer than can be recorded');
    if (part.type === 'text-delta') spoken?.add(part.text);
  }
  spoken?.end();
  const [
    text,
    content,
    toolCalls,
    toolResults,
    finishReason,
    rawFinishReason,
    usage,
    sources,
    response,
    metadata,
  ] = await Promise.all([
    result.text,
    result.content,
    result.toolCalls,
    result.toolResults,
    result.finishReason,
    result.rawFinishReason,
    result.usage,
    result.sources,
    result.response,
    result.providerMetadata,
  ]);
  return {
    ...{ text, content, toolCalls, toolResults, finishReason, rawFinishReason, usage, sources },
    model: response.modelId,
    ...confidencesOf(metadata),
  };
}

/** What the local model says of what it chose among. */
function confidencesOf(metadata: ProviderMetadata | undefined): Pick<Answer, 'confidences'> {
  const confidences = metadata?.['local']?.['confidences'];
  return confidences === undefined ? {} : { confidences: confidences as Record<string, number> };
}

/** The tools as the AI SDK has them, without `execute`: the run performs what the model asks for. */
function modelTools(specs: readonly ToolSpec[]): ToolSet {
  return Object.fromEntries(
    specs.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}

/**
 * The conversation as the AI SDK has it.
 * @param thinker whose thoughts go back with it
 */
function modelMessages(messages: readonly Message[], thinker: string): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'system':
      case 'user':
        return { role: message.role, content: message.content };
      case 'assistant':
        return { role: 'assistant', content: assistantContent(message, thinker) };
      case 'tool':
        return {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: message.toolCallId,
              toolName: message.name,
              output: { type: 'text', value: message.content },
            },
          ],
        };
    }
  });
}

function assistantContent(
  message: Extract<Message, { role: 'assistant' }>,
  thinker: string,
): AssistantModelMessage['content'] {
  const { content: text, toolCalls = [] } = message;
  const calls = toolCalls.map(callPart);
  const thought = withThoughts(message, calls, thinker);
  if (thought !== null) return thought;
  if (calls.length === 0) return text;
  // Providers refuse an empty piece of text.
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
}

function callPart(call: ToolCall): ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    // Providers take only objects here; the model is to see what it wrote.
    input: call.invalid === undefined ? (call.arguments ?? {}) : { invalid: call.invalid },
  };
}
