import type { LanguageModelMiddleware } from 'ai';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { exactText, readJson } from '../../contract/json/read-json.js';
import type { ProviderModel } from './providers/provider-model.js';

type Streamed =
  Awaited<ReturnType<ProviderModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/** Keeps integers past 2^53 in arguments of tools as texts, where a provider sends arguments as the text that the model wrote. */
export const exactArguments: LanguageModelMiddleware = {
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

/** Where arguments stand as objects: Anthropic's and Bedrock's, Google's, Ollama's. */
const argumentNames = ['input', 'args', 'arguments'];

/** An answer of a provider, with such integers kept in arguments of tools; numbers elsewhere are the provider's own. */
export function withExactArguments(body: string): string {
  if (exactText(body) === body) return body;
  return JSON.stringify(merged(JSON.parse(body) as JsonValue, readJson(body)));
}

function merged(plain: JsonValue, exact: JsonValue): JsonValue {
  if (Array.isArray(plain)) return plain.map((each, i) => merged(each, (exact as JsonValue[])[i] ?? null));
  if (!isObject(plain) || !isObject(exact)) return plain;
  return Object.fromEntries(
    Object.entries(plain).map(([name, value]) => {
      const kept = exact[name] ?? null;
      const isArguments = argumentNames.includes(name) && isObject(value);
      return [name, isArguments ? kept : merged(value, kept)];
    }),
  );
}
