import type { LanguageModelMiddleware } from 'ai';
import type { CallOptions, ProviderModel } from './providers/provider-model.js';

type Generated = Awaited<ReturnType<ProviderModel['doGenerate']>>['content'][number];
type Streamed =
  Awaited<ReturnType<ProviderModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/**
 * Gives each call of a tool an id that no other one has, in the answer and in the conversation before it, as the run has it and as it
 * was sent. Results are
 * matched to calls by id, some servers use one for several, and others refuse a conversation that does. It has to be done
 * before the AI SDK looks calls up by their ids: calls of one id would all get the arguments of the first.
 */
export function distinctToolCalls(ids: readonly string[]): LanguageModelMiddleware {
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
