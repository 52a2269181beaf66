import { jsonSize, type JsonValue } from '../../contract/json/json.js';

/** What a worker does together keeps a run waiting for no longer than this, one of them aside. */
const longestMs = 1_000;
/** Bytes of all that they give: they stand in one message with what else the run sends. */
const mostBytes = 100_000;

/**
 * Does one after the other, and gives what came of the first, and of those after it that there was time and room for. One that fails
 * ends the row, and throws where it is the first: an error is of what it names, and the others lose nothing.
 */
export async function firstThatFit<T, R>(
  inputs: readonly T[],
  perform: (input: T) => Promise<R>,
): Promise<R[]> {
  const done: R[] = [];
  const started = Date.now();
  let bytes = 0;
  for (const input of inputs) {
    let result: R;
    try {
      result = await perform(input);
    } catch (error) {
      if (done.length === 0) throw error;
      return done;
    }
    bytes += jsonSize(result as JsonValue);
    if (done.length > 0 && bytes > mostBytes) return done;
    done.push(result);
    if (Date.now() - started > longestMs) return done;
  }
  return done;
}
