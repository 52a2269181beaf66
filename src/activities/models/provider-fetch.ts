import { StringDecoder } from 'node:string_decoder';
import type { AnswerBounds } from '../../egress/bounded-response.js';
import { egressFetch, type Egress } from '../../egress/egress-fetch.js';
import { Fault } from '../retries/failures.js';
import { exactText, isObject, readJson, type JsonValue } from '../../contract/json/json.js';

/**
 * A `fetch` for calls that carry a key. It follows no redirect, and refuses a web page where an API was expected (the answer of a proxy or a login page, with status 200).
 */
export function providerFetch(egress: Egress, bounds: AnswerBounds): typeof fetch {
  const base = egressFetch(egress, bounds);
  return async (input, init) => {
    const response = await base(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && /^text\/html\b/i.test(type)) {
      await response.body?.cancel();
      throw new Fault('answered with a web page (text/html); is the base URL right?', {
        status: response.status,
        retryable: true,
      });
    }
    return response;
  };
}

/** A `fetch` whose answers have whole arguments of tools: integers past 2^53 as texts, and what should be text as text. */
export function withExactAnswers(base: typeof fetch): typeof fetch {
  return rewritingFetch(base, (body) => withTextArguments(withExactArguments(body)));
}

/** Makes another text of a JSON text. */
type RewriteJson = (text: string) => string;

/**
 * A `fetch` whose answers are rewritten before anything parses them: a library that does so itself rounds integers past
 * 2^53. An answer by server-sent events is rewritten line by line, as it arrives.
 */
function rewritingFetch(base: typeof fetch, rewrite: RewriteJson): typeof fetch {
  return async (input, init) => {
    const response = await base(input, init);
    const type = response.headers.get('content-type') ?? '';
    const isEvents = /^text\/event-stream\b/i.test(type);
    if (response.body === null || !(isEvents || /^application\/(?:[\w.-]+\+)?json\b/i.test(type)))
      return response;
    const headers = new Headers(response.headers);
    headers.delete('content-encoding');
    headers.delete('content-length');
    const { status, statusText } = response;
    const body = response.body.pipeThrough(isEvents ? eventLines(rewrite) : wholeText(rewrite));
    return new Response(body, { status, statusText, headers });
  };
}

type Bytes = TransformStream<Uint8Array, Uint8Array>;

function wholeText(rewrite: RewriteJson): Bytes {
  const parts: Uint8Array[] = [];
  return new TransformStream({
    transform: (part) => void parts.push(part),
    flush: (controller) => {
      const all = Buffer.concat(parts);
      const text = all.toString();
      const written = rewritten(text, rewrite);
      controller.enqueue(written === text ? all : Buffer.from(written));
    },
  });
}

function eventLines(rewrite: RewriteJson): Bytes {
  const decoder = new StringDecoder('utf8');
  /** The parts of a line that hasn't ended. */
  let open: string[] = [];
  const lineOf = (line: string): string => {
    const [, name = '', data = '', end = ''] = /^(data: ?)([^\r]*)(\r?)$/.exec(line) ?? [];
    return name === '' ? line : `${name}${rewritten(data, rewrite)}${end}`;
  };
  return new TransformStream({
    transform: (part, controller) => {
      const lines = decoder.write(Buffer.from(part)).split('\n');
      const last = lines.pop() ?? '';
      const [first, ...others] = lines;
      if (first === undefined) return void open.push(last);
      const whole = [open.join('') + first, ...others];
      open = [last];
      controller.enqueue(Buffer.from(`${whole.map(lineOf).join('\n')}\n`));
    },
    flush: (controller) => {
      const rest = open.join('') + decoder.end();
      if (rest !== '') controller.enqueue(Buffer.from(lineOf(rest)));
    },
  });
}

/** What is no JSON is left as it is: whoever reads it says so. */
function rewritten(text: string, rewrite: RewriteJson): string {
  try {
    return rewrite(text);
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

/**
 * An answer by Chat Completions with the arguments of tools as the text that its protocol has them as: some servers give the
 * object itself, or nothing.
 */
function withTextArguments(body: string): string {
  if (!body.includes('"tool_calls"')) return body;
  const answer = JSON.parse(body) as JsonValue;
  if (!isObject(answer) || !Array.isArray(answer['choices'])) return body;
  let isChanged = false;
  for (const choice of answer['choices']) {
    for (const part of ['message', 'delta'])
      for (const called of functionsIn(choice, part)) {
        const given = called['arguments'];
        // A piece of a stream may have none.
        if (typeof given === 'string' || ((given ?? null) === null && part === 'delta')) continue;
        called['arguments'] = JSON.stringify(given ?? {});
        isChanged = true;
      }
  }
  return isChanged ? JSON.stringify(answer) : body;
}

function functionsIn(choice: JsonValue, part: string): Record<string, JsonValue>[] {
  const said = isObject(choice) ? (choice[part] ?? null) : null;
  const calls = isObject(said) ? said['tool_calls'] : null;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call) => {
    const called = isObject(call) ? (call['function'] ?? null) : null;
    return isObject(called) ? [called] : [];
  });
}
