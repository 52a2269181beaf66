import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { idempotentMethods, type HttpRequest } from '../../contract/http/http-request.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { EffectClass, ListedTool } from '../../contract/tools/outside-tool.js';
import { plainClient, readRequest } from '../http/http-client.js';
import { toJsonSchema, type Fields } from '../kernel/index.js';

/** `http = {method, url, headers}` of a tool: what is sent when it is called. */
export interface HttpTool {
  method: string;
  /** With `{name}` for arguments, behind the host. */
  url: string;
  headers: JsonValue;
}

const fields = ['method', 'url', 'headers'];
const placeholder = /\{(\w+)\}/g;
const withoutBody = ['GET', 'HEAD', 'DELETE'];

/** @throws TactusError source_invalid */
export function readHttpTool(given: JsonValue, what: string): HttpTool {
  const invalid = (problem: string): TactusError =>
    new TactusError('source_invalid', `${what}: http ${problem}`);
  const table = typeof given === 'string' ? { url: given } : given;
  if (!isObject(table)) throw invalid('must be a table with url');
  const odd = Object.keys(table).find((key) => !fields.includes(key));
  if (odd !== undefined) throw invalid(`has the unknown field ${odd}; there are ${fields.join(', ')}`);
  const { method = 'GET', url = null, headers = null } = table;
  if (typeof method !== 'string') throw invalid('needs method as text, such as "POST"');
  if (typeof url !== 'string' || !/^https?:\/\/[^/?#{}]+([/?]|$)/.test(url))
    throw invalid('needs url: an http or https address, with {name} for arguments behind the host alone');
  const tool = { method: method.toUpperCase(), url, headers };
  // What can't be sent is told where it is declared.
  httpToolRequest(tool, {}, what, 'source_invalid');
  return tool;
}

/** What is said of it, as a worker says it of its tools. */
export function listedHttpTool(tool: HttpTool, name: string, description: string, input: Fields): ListedTool {
  const { method } = tool;
  const isSafe = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const repeatable: EffectClass = isSafe ? 'pure' : 'idempotent';
  return {
    source: `http.${name}`,
    description,
    parameters: toJsonSchema(input),
    effect: (idempotentMethods as readonly string[]).includes(method) ? repeatable : 'once',
  };
}

/**
 * What a call sends: arguments stand in the path where it names them, else in the query, or as JSON in the body of methods
 * that have one.
 * @throws TactusError with the given code
 */
export function httpToolRequest(
  { method, url, headers }: HttpTool,
  args: JsonObject,
  what: string,
  code: ErrorCode,
): HttpRequest {
  const used = new Set<string>();
  const filled = url.replace(placeholder, (_, name: string) => {
    used.add(name);
    return segment(getOwn(args, name) ?? null, name, what);
  });
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !used.has(name)));
  const given = withoutBody.includes(method) ? { params: rest } : { json: rest };
  try {
    return readRequest(plainClient, what, { method, url: filled, options: { headers, ...given } });
  } catch (error) {
    if (error instanceof TactusError) throw new TactusError(code, error.message);
    throw error;
  }
}

/** One piece of a path: what a model invents must not lead out of it. */
function segment(value: JsonValue, name: string, what: string): string {
  if (value === null) return '-';
  const text = typeof value === 'object' ? '' : String(value);
  if (text === '' || /^\.+$/.test(text))
    throw new TactusError('tool_failed', `${what}: ${name} can't be ${JSON.stringify(value)} in its address`);
  return encodeURIComponent(text);
}
