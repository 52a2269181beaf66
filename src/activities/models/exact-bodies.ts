import { StringDecoder } from 'node:string_decoder';

/** Makes another text of a JSON text. */
export type RewriteJson = (text: string) => string;

/**
 * A `fetch` whose answers are rewritten before anything parses them: a library that does so itself rounds integers past
 * 2^53. An answer by server-sent events is rewritten line by line, as it arrives.
 */
export function exactBodies(base: typeof fetch, rewrite: RewriteJson): typeof fetch {
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
