import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** What `{input.x}` and its like stand for in a prompt. */
export interface TemplateValues {
  input: JsonObject;
  state: JsonObject;
  /** The input, and over it the extra arguments of the call. */
  params: JsonObject;
  /** The input, and over it the call's `context`. */
  context: JsonObject;
  /** What the agent's function `prepare` returned. */
  prepared: JsonObject;
}

const placeholder = /\{([A-Za-z_][\w]*)((?:\.[A-Za-z_]\w*)*)\}/g;

/**
 * Fills `{input.x}`, `{state.a.b}`, `{params.x}`, `{context.x}`, `{prepared.x}` and a bare `{x}`, which is `{params.x}`.
 * A name that stands for nothing is left as it is written: prompts hold braces of other kinds. `{env.X}` is empty: the
 * environment is the worker's.
 * @throws TactusError payload_too_large
 */
export function fillTemplate(text: string, values: TemplateValues, maxLength: number): string {
  let { length } = text;
  const fitting = (filled: string): string => {
    length += filled.length;
    if (length > maxLength)
      throw new TactusError(
        'payload_too_large',
        `a prompt is longer than the ${maxLength} characters that can be sent`,
      );
    return filled;
  };
  return text.replace(placeholder, (whole, first: string, rest: string) => {
    const path = rest === '' ? [] : rest.slice(1).split('.');
    if (first === 'env' && path.length > 0) return '';
    const root = getOwn(values as unknown as Record<string, JsonObject>, first);
    const value = root === undefined ? lookUp(values.params, [first, ...path]) : lookUp(root, path);
    if (value === undefined || (root !== undefined && path.length === 0)) return whole;
    return fitting(typeof value === 'string' ? value : JSON.stringify(value));
  });
}

function lookUp(root: JsonObject, path: string[]): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = getOwn(value, key);
  }
  return value;
}
