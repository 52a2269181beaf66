import { TactusError, type ErrorCode } from '../../contract/errors.js';
import {
  canonicalJson,
  getOwn,
  isObject,
  jsonAs,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';
import type { MockCall, MockPlan, MockTurn } from '../../contract/mocks/mock-plan.js';
import { PerRun, type Field, type Fields, type Schema } from '../kernel/index.js';
import type { HttpResponse } from '../../contract/http/http-request.js';

const turnKeys = ['message', 'tool_calls', 'data', 'usage'];

/** What the file's `Mocks` say, by the name of an agent, a tool or a model. */
export const declaredMocks = new PerRun(() => new Map<string, JsonObject>(), 'declared');

/** What counts of an agent that may be mocked. */
interface MockedAgent {
  isOlder: boolean;
  output: Schema | null;
  /** The file declares no other. */
  isOnly: boolean;
}

/** Answers in place of agents, tools and models: those of the run's plan first, then those of the file's `Mocks`. */
class Mocks {
  readonly turns = new Map<string, number>();
  readonly calls = new Map<string, number>();

  constructor(
    private readonly plan: MockPlan | null,
    private readonly declared: ReadonlyMap<string, JsonObject>,
  ) {}

  /** Nothing outside may be asked. */
  get all(): boolean {
    return this.plan?.all === true;
  }

  /** Whether a tool or a model of this name may be one that only a mock has. */
  standsFor(name: string): boolean {
    return (
      this.plan !== null &&
      (this.all || [this.plan.results, this.plan.calls ?? {}].some((each) => Object.hasOwn(each, name)))
    );
  }

  /** The next turn of an agent, which is called `name` in this run; null: its model is asked. */
  turn(name: string, { isOlder, output, isOnly }: MockedAgent, message: string | null): MockTurn | null {
    if (this.plan === null) return null;
    const listed = this.turnsOf(name, isOnly);
    if (listed === null && !this.all) return null;
    const count = this.turns.get(name) ?? 0;
    this.turns.set(name, count + 1);
    if (listed === null) return unwritten(name, output, isOlder && count === 0);
    const fitting = listed.find((turn) => message !== null && turn.when_message === message);
    return fitting ?? listed[Math.min(count, listed.length - 1)] ?? null;
  }

  /**
   * What a tool or a model gives in place of itself; null: it is called.
   * @throws TactusError of this code where the mock is an error
   */
  result(name: string, args: JsonValue, code: ErrorCode): { value: JsonValue } | null {
    if (this.plan === null) return null;
    const call = this.plannedCall(this.plan, name);
    if (call !== null && 'error' in call) throw new TactusError(code, call.error);
    if (call !== null) return call;
    const planned = getOwn(this.plan.results, name);
    if (planned !== undefined) return { value: planned };
    const mock = this.all ? this.declared.get(name) : undefined;
    if (mock === undefined) return null;
    const count = this.countCall(name);
    const { returns, temporal, conditional, error } = mock;
    if (typeof error === 'string') throw new TactusError(code, error);
    if (Array.isArray(temporal) && temporal.length > 0)
      return { value: temporal[Math.min(count, temporal.length - 1)] ?? null };
    for (const each of Array.isArray(conditional) ? conditional : [])
      if (isObject(each) && isObject(each['when'] ?? null) && matchesMock(args, each['when'] as JsonObject))
        return { value: each['returns'] ?? null };
    return returns === undefined ? null : { value: returns };
  }

  /** What a prediction model gives for which no mock was written, in the form that it declares; null: it is asked. */
  prediction(name: string, output: Schema | null): { value: JsonValue } | null {
    if (!this.all) return null;
    const text = (what: string): string => `Mocked ${what} from ${name}`;
    if (output === null) return { value: text('prediction') };
    return {
      value:
        output.kind === 'fields'
          ? madeUp(output.fields, text)
          : madeUpField('prediction', output.field, text),
    };
  }

  private plannedCall({ calls = {} }: MockPlan, name: string): MockCall | null {
    const listed = getOwn(calls, name);
    if (listed === undefined) return null;
    return listed[Math.min(this.countCall(name), listed.length - 1)] ?? null;
  }

  /** How many calls of this name a mock has answered before. */
  private countCall(name: string): number {
    const count = this.calls.get(name) ?? 0;
    this.calls.set(name, count + 1);
    return count;
  }

  private turnsOf(agent: string, isOnly: boolean): MockTurn[] | null {
    const planned = this.plan?.agents ?? {};
    const own = getOwn(planned, agent) ?? (isOnly ? onlyPlanned(planned) : null);
    if (own !== null) return own;
    const mock = this.all
      ? (this.declared.get(agent) ?? (isOnly ? this.onlyDeclared() : undefined))
      : undefined;
    if (mock === undefined) return null;
    const { temporal } = mock;
    const always = Object.fromEntries(turnKeys.flatMap((key) => (key in mock ? [[key, mock[key]]] : [])));
    const turns = Array.isArray(temporal) ? temporal.filter(isObject) : [];
    return turns.length === 0 ? [always] : turns.map((turn) => ({ ...always, ...turn }));
  }

  /** A local variable gives an agent no name: where there is one agent alone, it is the one that is meant. */
  private onlyDeclared(): JsonObject | undefined {
    const turns = [...this.declared.values()].filter((mock) => turnKeys.some((key) => key in mock));
    return turns.length === 1 ? turns[0] : undefined;
  }
}

export const mocks = new PerRun((bridge) => new Mocks(bridge.run.mock, declaredMocks.of(bridge)), {
  name: 'mocks',
  take: ({ turns, calls }) => ({ turns: Object.fromEntries(turns), calls: Object.fromEntries(calls) }),
  put: (kept, taken) => {
    const { turns, calls } = jsonAs<Record<'turns' | 'calls', Record<string, number>>>(taken);
    for (const [name, count] of Object.entries(turns)) kept.turns.set(name, count);
    for (const [name, count] of Object.entries(calls)) kept.calls.set(name, count);
  },
});

const responseKeys = ['status', 'ok', 'headers', 'body', 'json'];

/**
 * What a mock of `http_client` stands for: a response, of which `{status = 404}` or `{json = {…}}` is enough; any other
 * value is the JSON that an answer with status 200 brings, and a text its body.
 */
export function mockedResponse(mock: JsonValue): HttpResponse {
  const response: JsonObject = isResponse(mock)
    ? mock
    : typeof mock === 'string'
      ? { body: mock }
      : { json: mock };
  const { status, headers = null, body = null, json = null } = response;
  return {
    status: typeof status === 'number' ? status : 200,
    headers: headerTexts(headers),
    body: typeof body === 'string' ? body : json === null ? '' : JSON.stringify(json),
  };
}

/** `{status = "success"}` is what an API answers, no response. */
function isResponse(mock: JsonValue): mock is JsonObject {
  if (!isObject(mock)) return false;
  const keys = Object.keys(mock);
  const { status = 200, body = '' } = mock;
  return (
    keys.length > 0 &&
    keys.every((key) => responseKeys.includes(key)) &&
    Number.isInteger(status) &&
    typeof body === 'string'
  );
}

function headerTexts(headers: JsonValue): Record<string, string> {
  const texts: Record<string, string> = {};
  if (isObject(headers))
    for (const [name, value] of Object.entries(headers))
      if (value !== null && typeof value !== 'object') setOwn(texts, name.toLowerCase(), String(value));
  return texts;
}

/** The same for a scenario's own. */
function onlyPlanned(planned: MockPlan['agents']): MockTurn[] | null {
  const [only, ...others] = Object.values(planned);
  return others.length === 0 ? (only ?? null) : null;
}

/**
 * What an agent says for which no mock was written, in the form that it declares. Loops of 0.10 wait for `done`, which
 * its mocks called at once.
 */
function unwritten(agent: string, output: Schema | null, callsDone: boolean): MockTurn {
  const message = `Mocked response from ${agent}`;
  return {
    message,
    ...(output?.kind === 'fields'
      ? { data: madeUp(output.fields, (name) => `Mocked ${name} from ${agent}`) }
      : {}),
    ...(callsDone ? { tool_calls: [{ tool: 'done', args: { reason: message } }] } : {}),
  };
}

/** Whether arguments are as a conditional mock wants them: equal, or by `contains:`, `startswith:`, `endswith:`. */
function matchesMock(args: JsonValue, when: JsonObject): boolean {
  if (!isObject(args)) return false;
  return Object.entries(when).every(([name, wanted]) => {
    const given = getOwn(args, name);
    return given !== undefined && matchesValue(given, wanted);
  });
}

function matchesValue(given: JsonValue, wanted: JsonValue): boolean {
  const pattern = typeof wanted === 'string' ? /^(contains|startswith|endswith):(.*)$/s.exec(wanted) : null;
  if (pattern === null) return canonicalJson(given) === canonicalJson(wanted);
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const part = (pattern[2] ?? '').trim();
  if (pattern[1] === 'contains') return text.includes(part);
  return pattern[1] === 'startswith' ? text.startsWith(part) : text.endsWith(part);
}

/** Data of the declared form, where a test gives none. Texts come from `text`, which is told the field's name. */
export function madeUp(fields: Fields, text: (name: string) => string): JsonObject {
  const result: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) setOwn(result, name, madeUpField(name, field, text));
  return result;
}

/** The same for one field: its default or the first of what it allows, where it says that. */
function madeUpField(name: string, field: Field, text: (name: string) => string): JsonValue {
  const { type, default: value, enum: allowed, items, properties } = field;
  if (value !== undefined) return value;
  if (allowed?.[0] !== undefined) return allowed[0];
  switch (type) {
    case 'string':
    case 'any':
      return text(name);
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return items === undefined ? [] : [madeUpField(name, items, text)];
    case 'object':
    case 'table':
      return properties === undefined ? {} : madeUp(properties, text);
  }
}
