import { randomUUID } from 'node:crypto';
import { TactusError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { ChatFunctionCall, ChatItem, LlamaFunctions } from './llama.js';
import type { LocalAnswer, LocalRequest, LocalRuntime } from './local-runtime.js';
import { plainProvider, type CallOptions, type Provider, type ProviderModel } from './provider.js';

interface LocalModelOptions {
  runtime: LocalRuntime;
  model: string;
  /** 1 for the first attempt. */
  attempt: number;
}

type Generated = Awaited<ReturnType<ProviderModel['doGenerate']>>;
type Streamed = Awaited<ReturnType<ProviderModel['doStream']>>;
type Part = Streamed['stream'] extends ReadableStream<infer P> ? P : never;

/** The one small model on this machine. */
export const local: Provider = {
  ...plainProvider,
  name: 'local',
  defaultModel: 'smollm2-135m-instruct',
  pricesName: 'local',
  key: null,
  needs: () => [],
  model({ model, local: runtime, attempt }) {
    if (runtime !== null) return Promise.resolve(localModel({ runtime, model, attempt }));
    throw new TactusError(
      'unknown_model',
      'This worker has no local model: tactus-temporal doctor says how to get it, and a worker of your own is given it as localModel; or set OPENAI_API_KEY or ANTHROPIC_API_KEY',
      { lacking: 'local model' },
    );
  },
};

/** The local language model behind the AI SDK's interface. */
function localModel({ runtime, model, attempt }: LocalModelOptions): ProviderModel {
  const ask = (options: CallOptions, onText: LocalRequest['onText']): Promise<LocalAnswer> =>
    runtime.generate(requestOf(options, attempt, onText));
  return {
    specificationVersion: 'v4',
    provider: 'local',
    modelId: model,
    supportedUrls: {},
    async doGenerate(options) {
      const answer = await ask(options, null);
      const text = { type: 'text' as const, text: answer.text };
      return { content: [text, ...toolCalls(answer)], ...ending(answer), warnings: [] };
    },
    doStream(options) {
      const stream = new ReadableStream<Part>({
        async start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: '0' });
          try {
            const answer = await ask(options, (delta) => {
              controller.enqueue({ type: 'text-delta', id: '0', delta });
            });
            controller.enqueue({ type: 'text-end', id: '0' });
            for (const call of toolCalls(answer)) controller.enqueue(call);
            controller.enqueue({ type: 'finish', ...ending(answer) });
          } catch (error) {
            controller.enqueue({ type: 'error', error });
          }
          controller.close();
        },
      });
      return Promise.resolve({ stream });
    },
  };
}

function requestOf(options: CallOptions, attempt: number, onText: LocalRequest['onText']): LocalRequest {
  const { prompt, maxOutputTokens, temperature, abortSignal, responseFormat, toolChoice } = options;
  const tools = (options.tools ?? []).filter(
    ({ name }) => toolChoice?.type !== 'tool' || name === toolChoice.toolName,
  );
  const functions = toolChoice?.type === 'none' ? null : functionsOf(tools);
  return {
    history: localChat(prompt),
    functions,
    mustCall: functions !== null && (toolChoice?.type === 'required' || toolChoice?.type === 'tool'),
    schema: responseFormat?.type === 'json' ? ((responseFormat.schema ?? null) as JsonObject | null) : null,
    maxTokens: maxOutputTokens ?? null,
    // The likeliest answer is the same each time: where it was refused, only chance gives another one.
    temperature: temperature ?? (attempt === 1 ? 0 : 0.7),
    seed: (options.seed ?? 0) + attempt,
    topP: options.topP ?? null,
    stop: options.stopSequences ?? [],
    signal: abortSignal ?? new AbortController().signal,
    onText,
  };
}

function functionsOf(tools: NonNullable<CallOptions['tools']>): LlamaFunctions | null {
  const functions: LlamaFunctions = {};
  for (const tool of tools) {
    if (tool.type !== 'function') continue;
    functions[tool.name] = { description: tool.description ?? '', params: tool.inputSchema as JsonObject };
  }
  return Object.keys(functions).length === 0 ? null : functions;
}

function toolCalls({ calls }: LocalAnswer) {
  return calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: `call_${randomUUID()}`,
    toolName: call.name,
    input: call.arguments,
  }));
}

function ending({
  calls,
  isCutOff,
  confidences,
  inputTokens,
  outputTokens,
}: LocalAnswer): Pick<Generated, 'finishReason' | 'usage' | 'providerMetadata'> {
  const unified = isCutOff ? 'length' : calls.length > 0 ? 'tool-calls' : 'stop';
  return {
    finishReason: { unified, raw: unified },
    ...(confidences === null ? {} : { providerMetadata: { local: { confidences: { ...confidences } } } }),
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
    },
  };
}

type Message = CallOptions['prompt'][number];

/** The conversation as the local model's library has it: results stand in the calls, and the last item is the model's. */
function localChat(prompt: CallOptions['prompt']): ChatItem[] {
  const history: ChatItem[] = [];
  const calls = new Map<string, ChatFunctionCall>();
  for (const message of prompt) addMessage(history, calls, message);
  if (history.at(-1)?.type !== 'model') history.push({ type: 'model', response: [] });
  return history;
}

function addMessage(history: ChatItem[], calls: Map<string, ChatFunctionCall>, message: Message): void {
  switch (message.role) {
    case 'system':
      history.push({ type: 'system', text: message.content });
      return;
    case 'user':
      history.push({
        type: 'user',
        text: message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      });
      return;
    case 'assistant':
      modelItem(history).response.push(...message.content.flatMap((part) => responsePart(calls, part)));
      return;
    case 'tool':
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue;
        const call = calls.get(part.toolCallId);
        if (call !== undefined && 'value' in part.output) call.result = part.output.value as JsonValue;
      }
  }
}

/** What the model said goes on in one item until someone else speaks. */
function modelItem(history: ChatItem[]): Extract<ChatItem, { type: 'model' }> {
  const last = history.at(-1);
  if (last?.type === 'model') return last;
  const item: ChatItem = { type: 'model', response: [] };
  history.push(item);
  return item;
}

type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number];

function responsePart(
  calls: Map<string, ChatFunctionCall>,
  part: AssistantPart,
): (string | ChatFunctionCall)[] {
  if (part.type === 'text') return [part.text];
  if (part.type !== 'tool-call') return [];
  const call: ChatFunctionCall = {
    type: 'functionCall',
    name: part.toolName,
    params: part.input as JsonValue,
    result: null,
  };
  calls.set(part.toolCallId, call);
  return [call];
}
