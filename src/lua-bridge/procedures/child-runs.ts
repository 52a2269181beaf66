import { toChildRun, type ChildRun, type ChildRuns } from '../../contract/runs/child-run.js';
import type { CheckpointType } from '../../contract/checkpoints/checkpoint.js';
import type { ChildrenUntil } from '../../contract/runs/await-children-effect.js';
import { TactusError } from '../../contract/errors.js';
import { asJson, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { spending } from '../budgets/run-budgets.js';
import {
  currentFrame,
  lauxlib,
  literal,
  lua,
  native,
  noteGivenUp,
  pushJson,
  pushText,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { readDuration } from '../../contract/time/duration.js';
import { deadlineOfChild } from '../budgets/deadline.js';
import { affordChild, childAt, type SpawnedRun, type SpawnedRuns } from './spawned-runs.js';

/**
 * `Procedure.spawn` and what looks at the runs that it started. A handle is the id of the child's run: a text, which
 * can be kept in the state, sent to others and given to a command.
 */
export function childRuns(bridge: Bridge, runs: SpawnedRuns): Record<string, CFunction> {
  const functions: Record<string, Native> = {
    spawn: spawn(bridge, runs),
    wait: wait(bridge, runs),
    wait_all: waitAll(bridge, runs),
    wait_any: waitAny(bridge, runs),
    status: status(bridge, runs),
    is_complete: isComplete(bridge, runs, (L) => [handleAt(L, 1)]),
    all_complete: isComplete(bridge, runs, (L) => handlesAt(L, 1, 'Procedure.all_complete')),
    cancel: cancel(bridge, runs),
    inject: ignore,
  };
  return Object.fromEntries(Object.entries(functions).map(([name, fn]) => [name, native(bridge, fn)]));
}

function spawn(bridge: Bridge, runs: SpawnedRuns): Native {
  return function* (L) {
    const asked = childAt(L, 'Procedure.spawn', 'procedure_spawn');
    const share = yield* affordChild(bridge, L, asked);
    const { file, input } = asked;
    const effect = { kind: 'spawn', file, input, ...share, ...deadlineOfChild(bridge, L) } as const;
    const id = (yield { effect: { type: 'procedure_spawn', name: file, effect } }) as string;
    runs.add(id, file, bridge.now());
    pushText(L, id);
    return 1;
  };
}

/** The child's output, or its error. */
function wait(bridge: Bridge, runs: SpawnedRuns): Native {
  return function* (L) {
    const id = handleAt(L, 1);
    const timeout = timeoutAt(L, 2, 'Procedure.wait');
    const { complete } = yield* look(bridge, runs, {
      what: 'procedure_wait',
      ids: [id],
      until: 'all',
      timeout,
    });
    if (!complete) throw timedOut('Procedure.wait', [runs.find(id)], timeout);
    pushJson(L, outputOf(L, 'Procedure.wait', runs.find(id)));
    return 1;
  };
}

/** The outputs in the order of the handles; where some failed, the error of the first of them. */
function waitAll(bridge: Bridge, runs: SpawnedRuns): Native {
  return function* (L) {
    const ids = handlesAt(L, 1, 'Procedure.wait_all');
    const timeout = timeoutAt(L, 2, 'Procedure.wait_all');
    const { complete } = yield* look(bridge, runs, { what: 'procedure_wait', ids, until: 'all', timeout });
    const found = ids.map((id) => runs.find(id));
    if (!complete) throw timedOut('Procedure.wait_all', found, timeout);
    const outputs = found.map((run) => outputOf(L, 'Procedure.wait_all', run));
    lua.lua_createtable(L, outputs.length, 0);
    for (const [i, output] of outputs.entries()) {
      pushJson(L, output);
      lua.lua_rawseti(L, -2, i + 1);
    }
    return 1;
  };
}

/** The handle of the first that has ended, in the order of the list where several have. */
function waitAny(bridge: Bridge, runs: SpawnedRuns): Native {
  return function* (L) {
    const ids = handlesAt(L, 1, 'Procedure.wait_any');
    const timeout = timeoutAt(L, 2, 'Procedure.wait_any');
    if (ids.length === 0) throw new TactusError('lua_error', 'Procedure.wait_any needs at least one handle');
    yield* look(bridge, runs, { what: 'procedure_wait', ids, until: 'any', timeout });
    const found = ids.map((id) => runs.find(id));
    const first = found.find(({ ended }) => ended !== null);
    if (first === undefined) throw timedOut('Procedure.wait_any', found, timeout);
    pushText(L, first.id);
    return 1;
  };
}

function status(bridge: Bridge, runs: SpawnedRuns): Native {
  return function* (L) {
    const id = handleAt(L, 1);
    yield* look(bridge, runs, { what: 'procedure_status', ids: [id], until: 'now', timeout: null });
    pushJson(L, statusOf(runs.find(id)));
    return 1;
  };
}

/** Whether all that the first argument names have ended. */
function isComplete(bridge: Bridge, runs: SpawnedRuns, read: (L: LuaState) => string[]): Native {
  return function* (L) {
    const ids = read(L);
    const wanted = { what: 'procedure_status', ids, until: 'now', timeout: null } as const;
    const { complete } = yield* look(bridge, runs, wanted);
    lua.lua_pushboolean(L, complete);
    return 1;
  };
}

function cancel(bridge: Bridge, runs: SpawnedRuns): Native {
  return function* (L) {
    const run = runs.find(handleAt(L, 1));
    if (run.file === null)
      throw new TactusError(
        'child_failed',
        `Procedure.cancel: ${run.id} is no run that this one has started`,
      );
    if (run.ended === null) {
      const effect = { kind: 'cancel_child', id: run.id } as const;
      const child = yield { effect: { type: 'procedure_cancel', name: run.file, effect } };
      note(bridge, runs, child as ChildRun);
    }
    return 0;
  };
}

/** `Procedure.inject`: the reference takes a message for a running procedure, and does nothing with it. */
// eslint-disable-next-line require-yield -- nothing is asked of the host
const ignore: Native = function* () {
  return 0;
};

interface Look {
  what: CheckpointType;
  ids: readonly string[];
  until: ChildrenUntil;
  timeout: number | null;
}

/**
 * Asks how runs stand, unless the procedure knows it already: of those that have ended it isn't asked again.
 * @returns whether what was waited for has come to pass; where nothing is waited for, whether all have ended
 */
function* look(
  bridge: Bridge,
  runs: SpawnedRuns,
  { what, ids, until, timeout }: Look,
): Generator<Step, ChildRuns, unknown> {
  const asked = [...new Set(ids)].filter((id) => runs.find(id).ended === null);
  const isKnown = asked.length === 0 || (until === 'any' && ids.some((id) => runs.find(id).ended !== null));
  let timedOut = false;
  if (!isKnown) {
    const name = asked.map((id) => runs.find(id).file ?? id).join(', ');
    const effect = { kind: 'children', ids: asked, until, timeoutMs: timeout } as const;
    const answer = (yield { effect: { type: what, name, effect } }) as ChildRuns;
    for (const child of answer.children) note(bridge, runs, child);
    timedOut = !answer.complete;
  }
  const children = ids.map((id) => runs.find(id).ended?.child ?? toChildRun(id, null));
  return { children, complete: !timedOut };
}

/** What a run has used that has ended counts for those that it was started by. */
function note(bridge: Bridge, runs: SpawnedRuns, { usage, ...child }: ChildRun): void {
  if (child.terminal) spending.of(bridge).endRun(child.id, usage);
  runs.note(child, bridge.now());
}

function outputOf(L: LuaState, call: string, run: SpawnedRun): JsonValue {
  const child = run.ended?.child;
  if (child?.status === 'completed') return child.output;
  if (child?.given_up === true) noteGivenUp(currentFrame(L).scope.attempted);
  const name = run.file === null ? run.id : `${run.file} (run ${run.id})`;
  throw new TactusError(
    'child_failed',
    `${call}: ${name} ${child?.status ?? 'failed'}: ${child?.error ?? ''}`,
  );
}

/** As the reference has it, where `result` and `error` are left out as long as there is none. */
function statusOf({ id, file, startedAt, ended }: SpawnedRun): JsonObject {
  const { status: state, output, error } = ended?.child ?? toChildRun(id, null);
  return {
    procedure_id: id,
    name: file,
    status: state,
    result: output,
    error,
    started_at: startedAt === null ? null : new Date(startedAt).toISOString(),
    completed_at: ended === null ? null : new Date(ended.at).toISOString(),
  };
}

function timedOut(call: string, runs: readonly SpawnedRun[], timeoutMs: number | null): TactusError {
  const open = runs.filter(({ ended }) => ended === null);
  const names = open.map(({ id, file }) => (file === null ? id : `${id} (${file})`)).join(', ');
  const [have, go] = open.length === 1 ? ['has', 'it goes'] : ['have', 'they go'];
  const message = `${call}: ${names} ${have} not ended after ${(timeoutMs ?? 0) / 1_000} s; ${go} on`;
  return new TactusError('wait_timed_out', message);
}

function handleAt(L: LuaState, index: number): string {
  const id = toText(L, index);
  if (id === null || id === '')
    lauxlib.luaL_argerror(L, index, literal('a handle of Procedure.spawn expected'));
  return id;
}

function handlesAt(L: LuaState, index: number, call: string): string[] {
  const given = toJson(L, index);
  const isList =
    Array.isArray(given) && given.every((id): id is string => typeof id === 'string' && id !== '');
  if (!isList) throw new TactusError('lua_error', `${call} needs a list of handles of Procedure.spawn`);
  return given;
}

/** Seconds or a text such as "5m", as it is or as `{timeout = …}`; null where there is none. */
function timeoutAt(L: LuaState, index: number, call: string): number | null {
  const given = lua.lua_isnoneornil(L, index) ? null : toJson(L, index);
  const timeout = isObject(given) ? (given['timeout'] ?? null) : given;
  if (timeout === null || (Array.isArray(timeout) && timeout.length === 0)) return null;
  return readDuration(timeout, `${call}: timeout`, 'lua_error');
}

const call = 'Procedure.await_children';
const mostChildren = 1_000;

interface ChildWait {
  ids: string[];
  mode: 'all' | 'any';
}

/** `Procedure.await_children{children = {{id = …}}, mode = "all"|"any"}`: waits for runs by their ids, of whomever. */
export function awaitChildren(bridge: Bridge, runs: SpawnedRuns): CFunction {
  return native(bridge, function* (L) {
    const { ids, mode } = readWait(toJson(L, 1));
    const what = 'external_children_wait';
    const { children } = yield* look(bridge, runs, { what, ids, until: mode, timeout: null });
    pushJson(L, { children: asJson(children.map(shownChild)), complete: true });
    return 1;
  });
}

function shownChild({ given_up: _, ...child }: ChildRun): Omit<ChildRun, 'given_up'> {
  return child;
}

/** @throws TactusError lua_error naming the field */
function readWait(given: JsonValue): ChildWait {
  if (!isObject(given)) throw childrenError('needs a table with children and mode');
  const stranger = Object.keys(given).find((key) => key !== 'children' && key !== 'mode');
  if (stranger !== undefined) throw childrenError(`has no field ${stranger}: it has children and mode`);
  const { children = null, mode = 'all' } = given;
  if (mode !== 'all' && mode !== 'any')
    throw childrenError(`needs "all" or "any" as mode, got ${JSON.stringify(mode)}`);
  if (!Array.isArray(children) || children.length === 0)
    throw childrenError('needs at least one child: children = {{id = "…"}}');
  if (children.length > mostChildren)
    throw childrenError(`has ${children.length} children; ${mostChildren} are allowed`);
  const ids = children.map((child) => {
    const id = isObject(child) ? (child['id'] ?? null) : child;
    if (typeof id !== 'string' || id.trim() === '')
      throw childrenError('needs the id of a run for each of its children');
    return id;
  });
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw childrenError(`has the child ${JSON.stringify(twice)} twice`);
  return { ids, mode };
}

function childrenError(problem: string): TactusError {
  return new TactusError('lua_error', `${call} ${problem}`);
}
