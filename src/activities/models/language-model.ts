import { Context } from '@temporalio/activity';
import { extractJsonMiddleware, wrapLanguageModel, type LanguageModelMiddleware } from 'ai';
import { TactusError } from '../../contract/errors.js';
import { modelBounds } from '../../egress/bounded-response.js';
import type { ActivityDeps } from '../activity-deps.js';
import { exactText } from '../../contract/json/json.js';
import { backgroundFetch, type HeldResponse } from './background-response.js';
import { providerFetch, withExactAnswers } from './provider-fetch.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import type { CallOptions, Provider, ProviderModel } from './providers/provider.js';

/** Sends the AI SDK's warnings (a setting that a model doesn't have, say) to the activity's log instead of the terminal. */
const quietWarnings: LanguageModelMiddleware = {
  async wrapGenerate({ doGenerate }) {
    const result = await doGenerate();
    logTo(Context.current(), result.warnings);
    return { ...result, warnings: [] };
  },
  async wrapStream({ doStream }) {
    // Parts pass outside of the activity's asynchronous context.
    const context = Context.current();
    const { stream, ...rest } = await doStream();
    type Part = typeof stream extends ReadableStream<infer P> ? P : never;
    const quiet = new TransformStream<Part, Part>({
      transform(part, controller) {
        if (part.type === 'stream-start') logTo(context, part.warnings);
        controller.enqueue(part.type === 'stream-start' ? { ...part, warnings: [] } : part);
      },
    });
    return { ...rest, stream: stream.pipeThrough(quiet) };
  },
};

function logTo(context: Context, warnings: readonly object[]): void {
  if (warnings.length > 0) context.log.warn('The model call was changed', { warnings });
}

export interface ModelUse {
  deps: ActivityDeps;
  /** The local model, where it is installed. */
  local: LocalRuntime | null;
  provider: Provider;
  /** The provider's own name of it. */
  model: string;
  /** Whether the answer is to be JSON. */
  isStructured: boolean;
  /** The API that OpenAI calls Responses is asked for. */
  isResponses: boolean;
  /** Of tool calls, in the conversation as the run has it. */
  callIds: readonly string[];
  /** 1 for the first attempt. */
  attempt: number;
  /** Where the provider is to answer in the background; else null. */
  background: HeldResponse | null;
}

/**
 * The AI SDK's model behind a choice.
 * @throws TactusError unknown_model where the provider has no such model, or not by that API
 */
export async function languageModel(use: ModelUse): Promise<ProviderModel> {
  const { deps, local, provider, model, isStructured, isResponses, attempt, background, callIds } = use;
  if (isResponses && !provider.hasResponses)
    throw new TactusError(
      'unknown_model',
      `${provider.name} has no Responses API: take model_type = "responses" away`,
    );
  if (background !== null && !provider.hasBackground)
    throw new TactusError(
      'unknown_model',
      `${provider.name} answers nothing in the background: take background = true away`,
    );
  const fetchSafely = providerFetch(deps, modelBounds);
  const fetchAnswer = background === null ? fetchSafely : backgroundFetch(fetchSafely, background);
  const made = await provider.model({
    ...{ model, env: deps.env, isResponses, local, attempt },
    fetch: withExactAnswers(fetchAnswer),
  });
  const always = [quietWarnings, distinctToolCalls(callIds), exactArguments];
  const middleware = isStructured ? [...always, extractJsonMiddleware()] : always;
  return wrapLanguageModel({ model: made, middleware });
}

type Generated = Awaited<ReturnType<ProviderModel['doGenerate']>>['content'][number];
type Streamed =
  Awaited<ReturnType<ProviderModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/**
 * Gives each call of a tool an id that no other one has, in the answer and in the conversation before it, as the run has it and as it
 * was sent. Results are
 * matched to calls by id, some servers use one for several, and others refuse a conversation that does. It has to be done
 * before the AI SDK looks calls up by their ids: calls of one id would all get the arguments of the first.
 */
function distinctToolCalls(ids: readonly string[]): LanguageModelMiddleware {
  return {
    async wrapGenerate({ doGenerate, params }) {
      const { content, ...rest } = await doGenerate();
      return { ...rest, content: content.map(withDistinctIds<Generated>(ids, params.prompt)) };
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      const distinct = withDistinctIds<Streamed>(ids, params.prompt);
      const renaming = new TransformStream<Streamed, Streamed>({
        transform: (part, controller) => controller.enqueue(distinct(part)),
      });
      return { ...rest, stream: stream.pipeThrough(renaming) };
    },
  };
}

function withDistinctIds<T extends Generated | Streamed>(
  ids: readonly string[],
  prompt: CallOptions['prompt'],
): (part: T) => T {
  const sent = prompt.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  );
  const taken = new Set([...ids, ...sent]);
  return (part) => {
    if (part.type !== 'tool-call') return part;
    const given = part.toolCallId.trim() === '' ? 'call' : part.toolCallId;
    let id = given;
    for (let n = 2; taken.has(id); n++) id = `${given}_${n}`;
    taken.add(id);
    return { ...part, toolCallId: id };
  };
}

/** Keeps integers past 2^53 in arguments of tools as texts, where a provider sends arguments as the text that the model wrote. */
const exactArguments: LanguageModelMiddleware = {
  async wrapGenerate({ doGenerate }) {
    const { content, ...rest } = await doGenerate();
    return {
      ...rest,
      content: content.map((part) =>
        part.type === 'tool-call' ? { ...part, input: exactInput(part.input) } : part,
      ),
    };
  },
  async wrapStream({ doStream }) {
    const { stream, ...rest } = await doStream();
    const keeping = new TransformStream<Streamed, Streamed>({
      transform: (part, controller) =>
        controller.enqueue(part.type === 'tool-call' ? { ...part, input: exactInput(part.input) } : part),
    });
    return { ...rest, stream: stream.pipeThrough(keeping) };
  },
};

/** What is no JSON is told to the model as it is. */
function exactInput(text: string): string {
  try {
    return exactText(text);
  } catch {
    return text;
  }
}
