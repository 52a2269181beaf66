import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/bridge.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { currentFrame } from '../scheduler/frame.js';
import { toJson } from '../values/marshal.js';
import type { Step } from '../scheduler/native.js';
import { checkState } from '../state/state-store.js';
import type { TaskDeclaration, TaskEntry } from './task-declaration.js';
import { doneFor, type TaskList } from './task-list.js';
import { lua, type LuaState } from '../vm/fengari.js';

/**
 * Does a task: first those that it depends on, each as a step of its own, so that the log tells how far the run has
 * come. Gives what the task's entry gives.
 * @throws TactusError no_procedure where the task only holds others
 */
export function* runTask(
  bridge: Bridge,
  L: LuaState,
  tasks: TaskList,
  wanted: string,
): Generator<Step, JsonValue, unknown> {
  const steps = doneFor(tasks, [wanted]).map((name) => [name, entryOf(tasks, name)] as const);
  let value: JsonValue = null;
  for (const [name, entry] of steps) {
    const spec = { type: 'step', name, input: null, digest: '', scope: { step: name } } as const;
    value = yield* checkpointed(bridge, L, spec, function* () {
      lua.lua_checkstack(L, 4);
      entry.push(L);
      lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, currentFrame(L).scope.input);
      yield { call: 1, results: 1 };
      const result = toJson(L, -1, bridge.limits.depth);
      lua.lua_pop(L, 1);
      return result;
    });
  }
  checkState(L, currentFrame(L).scope.state);
  return value;
}

/** What to call. Looked up for all tasks before the first is begun. */
function entryOf(tasks: TaskList, name: string): TaskEntry {
  const { entry, children } = tasks.get(name) as TaskDeclaration;
  if (entry !== null) return entry;
  const within = [...children.keys()].map((child) => `${name}:${child}`);
  throw new TactusError(
    'no_procedure',
    `the task ${name} has no entry${within.length === 0 ? '' : `; there are: ${within.join(', ')}`}`,
  );
}
