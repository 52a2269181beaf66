import type { EffectRequest } from '../../contract/checkpoints/checkpoint.js';
import type { TactusError } from '../../contract/errors.js';
import type { BudgetScope } from './budget-scope.js';
import { newFrame, type BranchKept, type Frame } from './frame.js';
import { lauxlib, lua, type LuaState } from '../vm/fengari.js';

/** Pushes a function and its arguments onto a new thread; gives the number of arguments. */
export type Branch = (thread: LuaState) => number;

/** What a suspended primitive goes on with. References are to the registry, and are given up when taken. */
export type Answer =
  | { kind: 'value'; value: unknown }
  | { kind: 'failure'; error: TactusError }
  | { kind: 'results'; reference: number }
  | { kind: 'raised'; reference: number };

/** One coroutine that the scheduler runs: the procedure itself, or a branch. */
export interface Task {
  thread: LuaState;
  /** Keeps the thread alive. */
  anchor: number;
  /** Arguments that lie on the thread's stack for its first resume. */
  args: number;
  request: EffectRequest | null;
  answer: Answer;
  /** The branches that it waits for. */
  children: Group | null;
  /** The group that it is a branch of. */
  group: Group | null;
  index: number;
}

/** Branches that run side by side, and the task that waits for them. */
export interface Group {
  parent: Task;
  frame: Frame;
  branches: readonly Branch[];
  /** What was kept when they were asked for, from which each goes on apart; null: they share it. */
  kept: BranchKept | null;
  /** What each may use. */
  budgetsOf: (index: number) => readonly BudgetScope[];
  isBatched: boolean;
  concurrency: number;
  started: number;
  ended: number;
  running: Set<Task>;
  results: number;
}

export function newTask(
  state: LuaState,
  body: Branch,
  frame: Frame,
  group: Group | null,
  index: number,
): Task {
  const thread = lua.lua_newthread(state);
  const anchor = lauxlib.luaL_ref(state, lua.LUA_REGISTRYINDEX);
  thread.isTask = true;
  thread.frame = newFrame(frame.position, frame.scope);
  const answer: Answer = { kind: 'value', value: undefined };
  return {
    thread,
    anchor,
    args: body(thread),
    request: null,
    answer,
    children: null,
    group,
    index,
  };
}
