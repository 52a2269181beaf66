import type { Budget } from '../../contract/budgets/budget.js';
import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import type { Deadline } from '../budgets/deadline.js';
import {
  fieldsPart,
  checkValue,
  currentFrame,
  DeclaredList,
  definedAt,
  globalNameOf,
  lua,
  PerRun,
  toJson,
  type Bridge,
  type Fields,
  type LuaState,
  type Schema,
  type Step,
} from '../kernel/index.js';
import type { HttpClient } from '../http/http-client.js';
import type { FailureQuestion } from '../../contract/people/failure-question.js';
import { checkState } from '../state/state-store.js';

/** A procedure that a file declares. */
export interface ProcedureDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  /** Lower-case constructors follow the design document: state of its own for each call. */
  ownState: boolean;
  input: Fields;
  output: Schema | null;
  state: Fields;
  /** Registry reference of the Lua function. */
  body: number;
  /** What it has given, as it is: to Lua, what is empty is a list. Left out: what its function returned. */
  given?: () => JsonValue;
  description: string | null;
  version: string | null;
  author: string | null;
  tags: string[];
  stages: string[];
  /** `strict_determinism`; null where it doesn't say. */
  strict: boolean | null;
  /** It declares `whole = true`: a call does nothing but give its result and change the state and the conversation. */
  isWhole: boolean;
  /** Clients that it declares as its `dependencies`. */
  dependencies: HttpClient[];
  /** What holds for agents that don't say which history they are sent. */
  history: { isShared: boolean; maxTokens: number | null };
  /** What one call of it may use; null: what is left to it. */
  budget: Budget | null;
  /** When one call of it is given up; null: never. */
  deadline: Deadline | null;
  /** Time for compensations and deferred functions of a run that was cancelled, in ms; null: the default. */
  cancelTimeoutMs: number | null;
  /** Who is asked when a call of it fails; false: nobody; null: it doesn't say. */
  question: FailureQuestion | false | null;
}

/** One that declares nothing but its function, which is at this reference of the registry. */
export function plainProcedure(body: number): ProcedureDeclaration {
  return {
    name: 'main',
    ownState: false,
    input: {},
    output: null,
    state: {},
    body,
    description: null,
    version: null,
    author: null,
    tags: [],
    stages: [],
    strict: null,
    isWhole: false,
    dependencies: [],
    history: { isShared: false, maxTokens: null },
    budget: null,
    deadline: null,
    cancelTimeoutMs: null,
    question: null,
  };
}

export const declaredProcedures = new DeclaredList<ProcedureDeclaration>();

/** The name that a procedure is known by: as declared, else the global variable that holds it. */
export function procedureNameOf(bridge: Bridge, declared: ProcedureDeclaration): string | null {
  declared.name ??= globalNameOf(bridge.L, declared);
  return declared.name;
}

/** The procedure of this name that the file has declared so far. */
export function procedureNamed(bridge: Bridge, name: string): ProcedureDeclaration | undefined {
  return declaredProcedures.of(bridge).find((each) => procedureNameOf(bridge, each) === name);
}

/** How deep procedures of the file may call each other; null where it doesn't say. */
export const callDepth = new PerRun(
  (): { most: number | null } => ({ most: null }),
  fieldsPart('call depth'),
);

/** @throws TactusError lua_error where procedures call each other without end, or deeper than `max_depth` says */
export function checkDepth(bridge: Bridge, depth: number): void {
  const { limits } = bridge;
  const { most } = callDepth.of(bridge);
  if (most !== null && most < limits.callDepth && depth > most)
    throw new TactusError('lua_error', `procedures call each other more than ${most} deep (max_depth)`);
  if (depth > limits.callDepth)
    throw new TactusError(
      'lua_error',
      `procedures call each other ${limits.callDepth} deep; is this recursion endless?`,
    );
}

/** Whether the top level of the file has been executed, with all that it declares. */
export const loading = new PerRun(() => ({ hasEnded: false }), 'declared');

/** What the main procedure takes; null: nothing is declared of it. */
export const mainInput = new PerRun((): { fields: Fields | null } => ({ fields: null }), 'declared');

/**
 * The input as the procedure declares it.
 * @throws TactusError input_invalid: "Missing required field: user_message"
 */
export function checkInput(fields: Fields, input: JsonValue): JsonValue {
  if (Object.keys(fields).length === 0) return input ?? {};
  return checkValue({ kind: 'fields', fields }, input ?? {}, {
    code: 'input_invalid',
    unknown: 'refuse',
    requireAll: true,
  });
}

/**
 * What the procedure returned, as it declares it: required and typed. What it doesn't declare is dropped from the output
 * of a run; a caller in the same file, and who runs a script, has it too.
 * @throws TactusError output_invalid
 */
export function checkOutput(schema: Schema | null, value: JsonValue, unknown: 'drop' | 'keep'): JsonValue {
  if (schema === null || (schema.kind === 'fields' && Object.keys(schema.fields).length === 0)) return value;
  const checked = checkValue(schema, reasonsFor(schema, value) ?? (schema.kind === 'fields' ? {} : null), {
    code: 'output_invalid',
    unknown,
    requireAll: true,
  });
  return checked;
}

/** `done.last_result()` is a table; where a text is declared, the reason in it is what was meant. */
function reasonsFor(schema: Schema, value: JsonValue): JsonValue {
  if (schema.kind !== 'fields' || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => {
      const isText = getOwn(schema.fields, name)?.type === 'string';
      const isDone = isText && isObject(given) && given['tool'] === 'done';
      return [name, isDone && typeof given['reason'] === 'string' ? given['reason'] : given];
    }),
  );
}

/** Calls the procedure's function with its input, in the frame that is open. */
export function* callBody(
  bridge: Bridge,
  L: LuaState,
  declared: ProcedureDeclaration,
  input: number,
  unknown: 'drop' | 'keep',
): Generator<Step, JsonValue, unknown> {
  lua.lua_checkstack(L, 4);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, declared.body);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, input);
  yield { call: 1, results: 1 };
  const value = declared.given?.() ?? toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  try {
    checkState(L, currentFrame(L).scope.state);
    return checkOutput(declared.output, value, unknown);
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, declared.body);
    throw new TactusError(error.code, error.message, { ...error.details, ...definedAt(L) });
  }
}
