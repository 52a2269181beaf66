import { digestOf } from '../../contract/effects/digest.js';
import { isObject, jsonSize, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  cleanups,
  currentFrame,
  handleAt,
  lauxlib,
  literal,
  lua,
  native,
  PerRun,
  pushHandle,
  pushJson,
  setOwnGlobal,
  toJson,
  toText,
  twoSpellings,
  type Bridge,
  type CFunction,
  type Frame,
  type HandleType,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { deadlineOfChild } from '../budgets/deadline.js';
import { within } from '../budgets/run-budgets.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { withCleanup } from '../checkpoints/compensating.js';
import { byDeadline } from '../checkpoints/in-time.js';
import { label } from '../progress/marks.js';
import { score } from '../scores/score-function.js';
import { addDependencies, dependencies } from '../http/http-client.js';
import { askingOnFailure } from './ask-failure.js';
import {
  callBody,
  checkDepth,
  checkInput,
  checkOutput,
  declaredProcedures,
  mainInput,
  procedureNamed,
  procedureNameOf,
  type ProcedureDeclaration,
} from './procedure-declaration.js';
import { readDeclaration } from './read-declaration.js';
import { keepInput } from './read-only.js';
import { spawnedRuns, affordChild, childAt, type SpawnedRuns } from './spawned-runs.js';
import { awaitChildren, childRuns } from './child-runs.js';
import { callables } from '../tools/read-tools.js';
import { checkState, newStateStore, pushStateTable, script, shareState } from '../state/state-store.js';
import { TactusError } from '../../contract/errors.js';
import { readMoment } from '../../contract/time/duration.js';

/** `Procedure.continue_as_new(input)`: the run begins again from the top, with its state and without its log. */
function continueAsNew(bridge: Bridge, runs: SpawnedRuns): CFunction {
  return native(bridge, function* (L) {
    const frame = currentFrame(L);
    if (!lua.lua_isnoneornil(L, 1)) lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
    const given: JsonValue = lua.lua_isnoneornil(L, 1) ? bridge.run.input : toJson(L, 1, bridge.limits.depth);
    const problem = passProblem(bridge, frame, runs);
    if (problem !== null) throw new TactusError('lua_error', `Procedure.continue_as_new ${problem}`);
    const input = checkInput(mainInput.of(bridge).fields ?? script.of(bridge).input ?? {}, given);
    checkState(L, frame.scope.state);
    pushStateTable(L, frame.scope.state);
    const state = toJson(L, -1, bridge.limits.depth);
    const bytes = jsonSize(input) + jsonSize(state);
    if (bytes > bridge.limits.payloadBytes)
      throw new TactusError(
        'payload_too_large',
        `Procedure.continue_as_new: input and state have ${bytes} bytes together; ${bridge.limits.payloadBytes} can be kept`,
      );
    // An empty table is a list for Lua.
    const effect = { kind: 'continue_as_new', input, state: isObject(state) ? state : {} } as const;
    yield { effect: { type: 'continue_as_new', name: 'continue_as_new', effect } };
    throw new TactusError('internal', 'a pass of the run was to end, and went on');
  });
}

/** Why a pass can't end here; null: it can. */
function passProblem(bridge: Bridge, { position, next }: Frame, runs: SpawnedRuns): string | null {
  if (position !== '')
    return "is for the main procedure: it can't be called inside a step, a branch, a tool or another procedure. Return there, and call it in the main procedure";
  if (next === (bridge.run.pass?.position ?? 0))
    return 'needs something recorded before it: a run that begins again at once never ends. Sleep, or do some work, first';
  if (cleanups.of(bridge).steps.length > 0)
    return "can't leave deferred functions behind: call it where none waits for its turn";
  const { open } = runs;
  if (open.length > 0)
    return `can't leave runs behind: ${open.slice(0, 5).join(', ')}${open.length > 5 ? ` and ${open.length - 5} more` : ''}. Wait for them with Procedure.wait_all, or cancel them`;
  return null;
}

interface Deferral {
  key: string;
  /** ISO 8601 in UTC. */
  resumeAt: string;
  reason: string;
}

/** `Procedure.defer{key =, resume_at =, reason =}`: goes on at a time of the calendar, by a durable timer. */
function defer(bridge: Bridge): CFunction {
  return native(bridge, function* (L) {
    const deferral = readDeferral(toJson(L, 1));
    yield {
      effect: { type: 'scheduled_continuation', name: deferral.key, effect: { kind: 'defer', ...deferral } },
    };
    const { key, resumeAt, reason } = deferral;
    pushJson(L, { completed: true, key, resume_at: resumeAt, reason });
    return 1;
  });
}

/** @throws TactusError lua_error naming the field */
function readDeferral(given: JsonValue): Deferral {
  if (!isObject(given)) throw deferError('needs a table with key, resume_at and reason');
  const stranger = Object.keys(given).find((key) => !['key', 'resume_at', 'reason'].includes(key));
  if (stranger !== undefined) throw deferError(`has no field ${stranger}: it has key, resume_at and reason`);
  return {
    key: readText(given, 'key'),
    resumeAt: readTime(readText(given, 'resume_at')),
    reason: readText(given, 'reason'),
  };
}

function readText(fields: JsonObject, name: string): string {
  const text = fields[name] ?? null;
  if (typeof text !== 'string' || text.trim() === '')
    throw deferError(`needs ${name} as a text that isn't empty, got ${JSON.stringify(text)}`);
  return text.trim();
}

const withoutZone = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?$/;

/** The same moment in UTC, with milliseconds only where it has some. */
function readTime(text: string): string {
  if (withoutZone.test(text))
    throw deferError(
      `needs resume_at with a time zone, such as ${text.slice(0, 10)}T09:00:00Z, got ${quoted(text)}`,
    );
  const ms = readMoment(text);
  if (ms === null)
    throw deferError(
      `needs resume_at as an ISO 8601 time such as "2030-01-31T09:00:00Z", got ${quoted(text)}`,
    );
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function deferError(problem: string): TactusError {
  return new TactusError('lua_error', `Procedure.defer ${problem}`);
}

/** `Procedure {…}`, `Procedure "name" {…}`, `procedure("name", {…}, fn)`, and what runs other files. */
export function openProcedure(bridge: Bridge): HandleType {
  for (const library of libraries) library.open(bridge);
  return procedureType.of(bridge);
}

const procedureType = new PerRun((bridge): HandleType => {
  const type: HandleType = { name: 'procedure', index: () => 0 };
  type.call = native(bridge, call(bridge, type));
  callables.of(bridge).set(type, (held) => {
    const procedure = held as ProcedureDeclaration;
    const name = (): string => procedureNameOf(bridge, procedure) ?? 'procedure';
    const description = procedure.description ?? `Runs the procedure ${name()}`;
    return { name, description, input: procedure.input, argument: (args) => args, result: null };
  });
  return type;
}, 'declared');

const libraries = twoSpellings(
  'Procedure',
  (bridge) => {
    const runs = spawnedRuns.of(bridge);
    return {
      run: native(bridge, runFile(bridge)),
      ...childRuns(bridge, runs),
      await_children: awaitChildren(bridge, runs),
      defer: defer(bridge),
      ...(bridge.holds('passes') ? { continue_as_new: continueAsNew(bridge, runs) } : {}),
      ...(bridge.holds('labels') ? { label: label(bridge) } : {}),
      ...(bridge.holds('scores') ? { score: native(bridge, score(bridge)) } : {}),
    };
  },
  (bridge, isLowerCase) => declare(bridge, procedureType.of(bridge), isLowerCase),
);

function declare(bridge: Bridge, type: HandleType, ownState: boolean): CFunction {
  const add = (L: LuaState, name: string | null, config: number, body: number): number => {
    const declared = bridge.scheduler.notes.guard(L, () => {
      const read = readDeclaration(bridge, L, name, ownState, config, body);
      addDependencies(dependencies.of(bridge), read.dependencies);
      return read;
    });
    declaredProcedures.add(bridge, declared);
    pushHandle(L, type, declared);
    if (name !== null) setOwnGlobal(L, name);
    return 1;
  };
  return (L) => {
    if (lua.lua_type(L, 2) === lua.LUA_TTABLE) return add(L, null, 2, 3);
    const name = toText(L, 2) ?? lauxlib.luaL_argerror(L, 1, literal('a name or a table expected'));
    const next = lua.lua_type(L, 3);
    if (next === lua.LUA_TTABLE || next === lua.LUA_TFUNCTION) return add(L, name, 3, 4);
    const known = procedureNamed(bridge, name);
    if (known !== undefined) {
      pushHandle(L, type, known);
      return 1;
    }
    lua.lua_pushcfunction(L, (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      return add(thread, name, 1, 2);
    });
    return 1;
  };
}

/** A call of a procedure of the same file: inline, in a frame of its own. */
function call(bridge: Bridge, type: HandleType): Native {
  return function* (L) {
    const declared = handleAt(L, 1, type) as ProcedureDeclaration;
    lua.lua_settop(L, 2);
    if (!lua.lua_isnil(L, 2) && lua.lua_type(L, 2) !== lua.LUA_TTABLE)
      lauxlib.luaL_argerror(L, 1, literal('the input must be a table, such as {name = "x"}'));
    const given: JsonValue = lua.lua_isnil(L, 2) ? {} : toJson(L, 2);
    const input = checkInput(declared.input, given);
    const above = currentFrame(L).scope;
    checkDepth(bridge, above.depth + 1);
    const name = procedureNameOf(bridge, declared) ?? 'procedure';
    const scope = {
      input: keepInput(L, input),
      budgets: within(bridge, L, name, declared.budget),
      depth: above.depth + 1,
      step: null,
      state: declared.ownState
        ? newStateStore(L, declared.state)
        : shareState(L, above.state, declared.state),
    };
    const { isWhole } = declared;
    const give = (value: JsonValue): JsonValue => checkOutput(declared.output, value, 'keep');
    const spec = {
      type: 'procedure_call',
      ...{ name, input, digest: digestOf(input), scope, isWhole },
      // Before defaults: a newer source may have one field more.
      compared: { data: given },
    } as const;
    pushJson(
      L,
      yield* checkpointed(bridge, L, spec, () =>
        askingOnFailure(bridge, L, { what: `procedure '${name}'`, question: declared.question, give }, () =>
          withCleanup(bridge, L, () =>
            byDeadline(bridge, L, `procedure '${name}'`, declared.deadline, (thread) =>
              callBody(bridge, thread, declared, scope.input, 'keep'),
            ),
          ),
        ),
      ),
    );
    lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, scope.input);
    return 1;
  };
}

/** `Procedure.run(file, input)`: another file, as a run of its own that this one waits for. */
function runFile(bridge: Bridge): Native {
  return function* (L) {
    const asked = childAt(L, 'Procedure.run', 'procedure_call');
    const share = yield* affordChild(bridge, L, asked);
    const { file, input } = asked;
    const effect = { kind: 'procedure', file, input, ...share, ...deadlineOfChild(bridge, L) } as const;
    pushJson(L, (yield { effect: { type: 'procedure_call', name: file, effect } }) as JsonValue);
    return 1;
  };
}
