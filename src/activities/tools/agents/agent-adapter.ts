import { createHash } from 'node:crypto';
import { getOwn, isObject, jsonSize, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { OptionValue } from '../../../contract/people/human-request.js';
import type { OutsideQuestion } from '../../../contract/tools/outside-tool.js';
import type { OutsideAgentConfig } from '../../../contract/tools/tool-servers.js';
import { ToolFailed, type HostCallContext, type ToolTasks } from '../tool-host.js';

/** An agent that a worker reaches. */
export interface AgentPlace {
  /** As configuration calls it. */
  name: string;
  /** As it is written, without the values of its variables. */
  config: OutsideAgentConfig;
  /** @throws ToolFailed where a variable isn't set; Fault where the URL is none */
  reach: () => { url: string; fetch: typeof fetch };
}

/** One agent, by what it speaks. */
export interface AgentAdapter {
  /** What a model reads of it, and what it takes. @throws what the next attempt may do better */
  describe(signal: AbortSignal): Promise<{ description: string; parameters: JsonObject }>;
  /** @throws ToolFailed where nothing was done, InputRequired, TaskStarted */
  call: (args: JsonValue, context: HostCallContext) => Promise<unknown>;
  /** Left out: a call has ended when it stops. */
  tasks?: ToolTasks;
}

/** What is said to an agent, by arguments of these. */
export function saidIn(args: JsonValue): { message: string; data: JsonValue | undefined } {
  const { message, data } = isObject(args) ? args : {};
  return { message: typeof message === 'string' ? message : '', data };
}

/** What most agents take: what is said to them, and data beside. */
export const messageParameters: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What is said to the agent' },
    data: { description: 'Data that goes with it' },
  },
  required: ['message'],
  additionalProperties: false,
};

/** The same id for the same key, in the form that most protocols want: a UUID of version 8. */
export function uuidOf(key: string): string {
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** What a person is asked to read: nobody could judge more. */
const longestText = 20_000;
const mostShown = 64 * 1024;
const mostOptions = 100;
const mostQuestions = 20;

/** @throws ToolFailed where an agent asks more at once than a person could answer */
export function assertFew(questions: number): void {
  if (questions > mostQuestions)
    throw new ToolFailed(`it asks ${questions} things at once, and ${mostQuestions} are let through`);
}

/** What an agent says where it stops, as far as its protocol has a place for it. */
export interface Stop {
  text?: string | null;
  data?: JsonValue;
  schema?: JsonObject | null;
  expiresAt?: number | null;
}

/** No protocol has one name for these: frameworks write what they like. */
const texts = ['message', 'question', 'prompt', 'description', 'text'];
const schemas = ['response_schema', 'responseSchema', 'requestedSchema', 'schema'];
const choices = ['options', 'choices'];

/**
 * What a person is asked where an agent has stopped: a yes where the answer is a boolean, a choice where there are options, else
 * whatever fits its schema.
 * @throws ToolFailed where it is more than a person could judge
 */
export function readQuestion({
  text = null,
  data = null,
  schema = null,
  expiresAt = null,
}: Stop): OutsideQuestion {
  const fields = isObject(data) ? data : {};
  const said = text ?? (typeof data === 'string' ? data : textIn(fields));
  const shown = typeof data === 'string' ? null : data;
  if (said !== null && said.length > longestText)
    throw new ToolFailed(
      `it asks with a text of ${said.length} characters, and ${longestText} are let through`,
    );
  if (jsonSize(shown) > mostShown)
    throw new ToolFailed(`it asks with ${jsonSize(shown)} bytes of data, and ${mostShown} are let through`);
  const wanted = schema ?? objectIn(fields, schemas);
  const rest = { message: said ?? 'It says nothing more.', shown, expiresAt };
  if (wanted?.['type'] === 'boolean') return { ...rest, kind: 'approval', options: [], schema: null };
  const options =
    optionsOf(wanted?.['enum']) ?? choices.map((name) => optionsOf(getOwn(fields, name))).find(Boolean);
  if (options) return { ...rest, kind: 'select', options, schema: null };
  return { ...rest, kind: 'input', options: [], schema: wanted };
}

function textIn(fields: JsonObject): string | null {
  const found = texts
    .map((name) => getOwn(fields, name))
    .find((each) => typeof each === 'string' && each !== '');
  return typeof found === 'string' ? found : null;
}

function objectIn(fields: JsonObject, names: readonly string[]): JsonObject | null {
  return names.map((name) => getOwn(fields, name)).find(isObject) ?? null;
}

/** Texts and numbers to choose from, each once; null where they are something else. */
function optionsOf(given: JsonValue | undefined): OptionValue[] | null {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostOptions) return null;
  const values = given.filter((each) => typeof each === 'string' || typeof each === 'number');
  return values.length === given.length && new Set(values).size === values.length ? values : null;
}
