import type { JsonObject } from '../../src/contract/json/json.js';

interface SeenEvent {
  event: string;
  id?: string;
  data: JsonObject;
}

/** A stream of server-sent events that is read as it comes. */
export interface OpenEvents {
  seen: SeenEvent[];
  /** The first event, of all that were seen or will be, for which it holds. */
  until(holds: (event: SeenEvent) => boolean, patienceMs?: number): Promise<SeenEvent>;
  close(): void;
  /** true: the server ended it; false: `close` did. */
  ended: Promise<boolean>;
}

export async function openEvents(url: string, headers: Record<string, string> = {}): Promise<OpenEvents> {
  const over = new AbortController();
  const response = await fetch(url, { headers, signal: over.signal });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${url} answered ${response.status}`);
  const seen: SeenEvent[] = [];
  let wake: () => void = () => undefined;
  const read = async (body: ReadableStream<Uint8Array>): Promise<boolean> => {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const part of body) {
        text += decoder.decode(part, { stream: true });
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const event = readEvent(text.slice(0, end));
          text = text.slice(end + 2);
          if (event !== null) seen.push(event);
        }
        wake();
      }
      return true;
    } catch {
      return false;
    }
  };
  const ended = read(response.body);
  return {
    seen,
    ended,
    close: () => over.abort(),
    until: async (holds, patienceMs = 60_000) => {
      const late = Date.now() + patienceMs;
      for (;;) {
        const found = seen.find(holds);
        if (found !== undefined) return found;
        if (Date.now() > late) throw new Error(`not among ${JSON.stringify(seen)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 100);
        });
      }
    },
  };
}

/** null: a comment, or how long to wait. */
function readEvent(text: string): SeenEvent | null {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const [event, data, id] = [fields.get('event'), fields.get('data'), fields.get('id')];
  if (event === undefined || data === undefined) return null;
  return { event, data: JSON.parse(data) as JsonObject, ...(id === undefined ? {} : { id }) };
}
