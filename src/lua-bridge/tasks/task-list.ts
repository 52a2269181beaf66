import { TactusError } from '../../contract/errors.js';
import {
  currentFrame,
  globalNameOf,
  lua,
  native,
  pushJson,
  seenNameOf,
  toJson,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { procedureNamed } from '../procedures/procedure-declaration.js';
import { declaredTasks, type TaskDeclaration, type TaskEntry } from './task-declaration.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { askRetriever, shownIndex } from '../retrieval/ask-retriever.js';
import { declaredRetrievers, type RetrieverDeclaration } from '../retrieval/retriever-declaration.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { checkState } from '../state/state-store.js';

/** Tasks that are held in several others count in each of them. */
const maxTasks = 1_000;

/** All tasks of a file by their full names, `build` and `build:docs`, each before those within it. */
export type TaskList = ReadonlyMap<string, TaskDeclaration>;

/** @throws TactusError source_invalid where two tasks have one name, or there are too many */
export function tasksOf(bridge: Bridge): TaskList {
  const { L, run } = bridge;
  const all = new Map<string, TaskDeclaration>();
  const add = (name: string, task: TaskDeclaration): void => {
    if (all.has(name)) throw taskError(task, `there are two tasks ${name}`);
    all.set(name, task);
    if (all.size > maxTasks) throw taskError(task, `${run.source.entry} has more than ${maxTasks} tasks`);
    for (const [child, below] of task.children) add(`${name}:${child}`, below);
  };
  for (const task of declaredTasks.of(bridge)) {
    task.name ??= globalNameOf(L, task);
    if (task.name !== null) add(task.name, task);
  }
  for (const [name, task] of indexTasks(bridge)) if (!all.has(name)) all.set(name, task);
  return all;
}

/** As a person may write it: `:build::docs` is `build:docs`. */
function fullTaskName(name: string): string {
  return name.split(':').filter(Boolean).join(':');
}

/**
 * Refuses what could never run, whichever task is asked for.
 * @throws TactusError source_invalid where a task depends on one that isn't there, or on itself; where its entry names
 * no procedure
 */
export function checkTasks(bridge: Bridge, tasks: TaskList): void {
  for (const [name, task] of tasks) {
    const procedure = task.entry?.names ?? null;
    if (procedure !== null && procedureNamed(bridge, procedure) === undefined)
      throw taskError(task, `the task ${name} has as entry the procedure ${procedure}, which isn't there`);
    for (const dependency of task.dependsOn)
      if (dependencyOf(tasks, name, dependency) === null)
        throw taskError(
          task,
          `the task ${name} depends on ${dependency}, which isn't there; ${knownTasks(tasks)}`,
        );
  }
  doneFor(tasks, tasks.keys());
}

/**
 * What is done for tasks, in order: each dependency with its own before it, once, and the tasks themselves after them.
 * @throws TactusError source_invalid where tasks depend on each other in a circle
 */
function doneFor(tasks: TaskList, wanted: Iterable<string>): string[] {
  const done = new Set<string>();
  const visit = (name: string, above: readonly string[]): void => {
    if (done.has(name)) return;
    const task = tasks.get(name);
    if (task === undefined) return;
    const path = [...above, name];
    if (above.includes(name))
      throw taskError(task, `tasks depend on each other: ${path.slice(path.indexOf(name)).join(' -> ')}`);
    for (const dependency of task.dependsOn) {
      const needed = dependencyOf(tasks, name, dependency);
      if (needed !== null) visit(needed, path);
    }
    done.add(name);
  };
  for (const name of wanted) visit(name, []);
  return [...done];
}

/** Its full name; of one beside the task, its own name will do: an included file knows nothing of its namespace. */
function dependencyOf(tasks: TaskList, name: string, dependency: string): string | null {
  const full = fullTaskName(dependency);
  const beside = name.slice(0, name.lastIndexOf(':') + 1) + full;
  return [full, beside].find((each) => tasks.has(each)) ?? null;
}

function knownTasks(tasks: TaskList): string {
  return tasks.size === 0 ? 'it has none' : `there are: ${[...tasks.keys()].join(', ')}`;
}

function taskError({ place }: TaskDeclaration, problem: string): TactusError {
  const at = place === null ? '' : `${place.file}:${place.line}: `;
  return new TactusError('source_invalid', at + problem, { ...(place ?? {}) });
}

/** `index`, and `index:NAME` for each retriever of a file: what brings their indexes up to date. */
function indexTasks(bridge: Bridge): Map<string, TaskDeclaration> {
  const retrievers = declaredRetrievers.of(bridge).map((retriever, i) => {
    const name = retriever.name ?? seenNameOf(bridge.L, retriever) ?? `retriever_${i + 1}`;
    return [name, retriever] as const;
  });
  const tasks = new Map<string, TaskDeclaration>();
  if (retrievers.length === 0) return tasks;
  tasks.set('index', indexTask(bridge, 'Brings the indexes of all retrievers up to date', retrievers));
  for (const [name, retriever] of retrievers)
    tasks.set(
      `index:${name}`,
      indexTask(bridge, `Brings the index of ${name} up to date`, [[name, retriever]]),
    );
  return tasks;
}

function indexTask(
  bridge: Bridge,
  description: string,
  retrievers: readonly (readonly [string, RetrieverDeclaration])[],
): TaskDeclaration {
  const index = native(bridge, function* (L) {
    const held: JsonObject = {};
    for (const [name, retriever] of retrievers)
      held[name] = shownIndex(yield* askRetriever(bridge, L, retriever, null, retriever.bounds));
    pushJson(L, held);
    return 1;
  });
  return {
    ...{ name: null, description, dependsOn: [], children: new Map(), place: null, isImplied: true },
    entry: {
      names: null,
      push: (L) => {
        lua.lua_pushcfunction(L, index);
      },
    },
  };
}

/**
 * The task that a run is for: the one that it was started with, else `run`, else none where there is a main procedure,
 * else the only one. Null stands for the main procedure.
 * @throws TactusError no_procedure where there is no such task, or one of several has to be named
 */
export function chooseTask(
  { run: { source, task } }: Bridge,
  tasks: TaskList,
  hasMain: boolean,
): string | null {
  if (task !== null) {
    const name = fullTaskName(task);
    if (tasks.has(name)) return name;
    if (name === 'run' && hasMain) return null;
    throw new TactusError(
      'no_procedure',
      `${source.entry} has no task ${JSON.stringify(task)}; ${knownTasks(tasks)}`,
    );
  }
  if (tasks.has('run')) return 'run';
  const written = [...tasks].filter(([, { isImplied }]) => !isImplied).map(([name]) => name);
  if (hasMain || written.length === 0) return null;
  const [only, ...others] = written.filter((name) => !name.includes(':'));
  if (only !== undefined && others.length === 0) return only;
  throw new TactusError(
    'no_procedure',
    `${source.entry} has several tasks, and no main procedure: say which task to run; ${knownTasks(tasks)}`,
  );
}

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
