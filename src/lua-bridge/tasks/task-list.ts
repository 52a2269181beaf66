import { TactusError } from '../../contract/errors.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { globalNameOf, seenNameOf } from '../vm/handle.js';
import { lua } from '../vm/fengari.js';
import { procedureNamed } from '../procedures/procedures.js';
import { declaredTasks, type TaskDeclaration } from './task-declaration.js';
import type { JsonObject } from '../../contract/json/json.js';
import { askRetriever, shownIndex } from '../retrieval/ask-retriever.js';
import { declaredRetrievers, type RetrieverDeclaration } from '../retrieval/retriever-declaration.js';
import { pushJson } from '../values/marshal.js';

/** Tasks that are held in several others count in each of them. */
const maxTasks = 1_000;

/** All tasks of a file by their full names, `build` and `build:docs`, each before those within it. */
export type TaskList = ReadonlyMap<string, TaskDeclaration>;

/** @throws TactusError source_invalid where two tasks have one name, or there are too many */
export function tasksOf(bridge: Bridge): TaskList {
  const { L, run } = bridge;
  const all = new Map<string, TaskDeclaration>();
  const add = (name: string, task: TaskDeclaration): void => {
    if (all.has(name)) throw wrong(task, `there are two tasks ${name}`);
    all.set(name, task);
    if (all.size > maxTasks) throw wrong(task, `${run.source.entry} has more than ${maxTasks} tasks`);
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
export function fullTaskName(name: string): string {
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
      throw wrong(task, `the task ${name} has as entry the procedure ${procedure}, which isn't there`);
    for (const dependency of task.dependsOn)
      if (dependencyOf(tasks, name, dependency) === null)
        throw wrong(
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
export function doneFor(tasks: TaskList, wanted: Iterable<string>): string[] {
  const done = new Set<string>();
  const visit = (name: string, above: readonly string[]): void => {
    if (done.has(name)) return;
    const task = tasks.get(name);
    if (task === undefined) return;
    const path = [...above, name];
    if (above.includes(name))
      throw wrong(task, `tasks depend on each other: ${path.slice(path.indexOf(name)).join(' -> ')}`);
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

export function knownTasks(tasks: TaskList): string {
  return tasks.size === 0 ? 'it has none' : `there are: ${[...tasks.keys()].join(', ')}`;
}

function wrong({ place }: TaskDeclaration, problem: string): TactusError {
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
