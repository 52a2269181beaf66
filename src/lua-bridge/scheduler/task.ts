import {
  childPosition,
  type EffectGroup,
  type EffectRequest,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import type { AttemptedEffects } from './attempted-effects.js';
import type { BudgetScope } from './budget-scope.js';
import { lauxlib, lua, type LuaState } from '../vm/fengari.js';
import type { Fields } from '../values/schema.js';

/** A place in the run that counts checkpoints: the run itself, a step, an agent's turn, a branch. */
export interface Frame {
  position: Position;
  /** Index of the next checkpoint in it. */
  next: number;
  /** The frame that was open in the same thread before. */
  below: Frame | null;
  scope: Scope;
}

export function newFrame(position: Position, scope: Scope): Frame {
  return { position, next: 0, below: null, scope };
}

/** Where the next checkpoint will be. */
export function upcomingPosition(frame: Frame): Position {
  return childPosition(frame.position, frame.next);
}

export function nextPosition(frame: Frame): Position {
  return childPosition(frame.position, frame.next++);
}

/**
 * The frame that code in this thread stands in. A coroutine of the author's stands in the frame that it opened
 * itself, else in that of whoever resumed it.
 */
export function currentFrame(thread: LuaState): Frame {
  for (let L: LuaState | null = thread; L !== null; L = L.resumer)
    if (L.frame !== null) return L.frame as Frame;
  throw new Error('a thread runs outside of every task');
}

/** @throws TactusError lua_error where frames stand in each other without end: a step or branch that opens itself */
export function checkNesting({ position }: Frame, limit: number): void {
  if (position.split('.').length > limit)
    throw new TactusError(
      'lua_error',
      `steps, branches and calls are nested over ${limit} deep; is this recursion endless?`,
    );
}

export function openFrame(thread: LuaState, frame: Frame): void {
  frame.below = thread.frame as Frame | null;
  thread.frame = frame;
}

export function closeFrame(thread: LuaState, frame: Frame): void {
  thread.frame = frame.below;
}

/** What belongs to one call of a procedure; frames below inherit it. */
export interface Scope {
  /** Registry references of the tables behind the globals `input` and `state`. */
  input: number;
  state: StateStore;
  /** Name of the innermost `step`, for names such as `research.writer`. */
  step: string | null;
  /** The innermost step, turn or call: its effects are shown together. */
  group: EffectGroup | null;
  /** How many procedures call each other here. */
  depth: number;
  /** Inside of something whose result is recorded: `checkpoint(fn)`, an agent's turn, a tool's call. */
  isRecorded: boolean;
  /** What may be used here, the widest first. */
  budgets: readonly BudgetScope[];
  /** Past it nothing is begun, in ms since 1970; left out: there is none. */
  deadline?: number;
  /** When what is under way here is given up; left out: there is no such time. `timer`: where its timer is, where a pause may move it. */
  ends?: { until: number; timer: Position | null };
  /** What is to be done when the innermost step, saga or procedure ends; left out: before there were any. */
  cleanup?: Cleanup;
  /** Of the innermost part around that people are asked about if it fails; left out: there is none. */
  attempted?: AttemptedEffects | undefined;
  /** Models are asked in batches, where their providers take them. */
  isBatched: boolean;
  /** The innermost call around that leaves everything as it was if it fails; left out: there is none. */
  transaction?: OpenTransaction;
  /** Of what is whole only where no Lua runs in it; left out: nothing around is. */
  luaCalls?: LuaCalls;
  /** What rooms keep for this branch; the run's where branches aren't apart. */
  kept: BranchKept;
}

/** What is to be done when a part of the procedure ends. */
export interface Cleanup {
  /** In which it is done. */
  frame: Frame;
  /** In the order in which they were registered. */
  steps: CleanupStep[];
  isRunning: boolean;
}

export interface CleanupStep {
  name: string;
  /** Registry reference of the function. */
  body: number;
  /** It is done however the part ends; else only where the part fails or is given up. */
  isAlways: boolean;
  /** Among all of the run. */
  order: number;
}

/** A call of a tool that leaves state, session and files as they were if it fails. */
export interface OpenTransaction {
  position: Position;
  outer: OpenTransaction | null;
}

/** Whether the host has called a function of the procedure inside of something. */
export interface LuaCalls {
  isAny: boolean;
  outer: LuaCalls | null;
}

/** The host calls a function in this thread. */
export function noteLuaCall(thread: LuaState): void {
  for (let each = currentFrame(thread).scope.luaCalls ?? null; each !== null; each = each.outer)
    each.isAny = true;
}

/** The table behind `state`, with the fields that are declared for it. */
export interface StateStore {
  table: number;
  fields: Fields;
}

/** Something that a branch can go on from with what is its own. */
export interface Branching {
  /** The same, to be changed apart from this; later changes of this don't show in it. */
  branch(): this;
}

/** What rooms keep for one branch of a run, by who keeps it; read through `PerBranch` alone. */
export type BranchKept = Map<object, Branching>;

/** What a branch begins with. */
function apart(kept: BranchKept): BranchKept {
  return new Map([...kept].map(([key, value]) => [key, value.branch()]));
}

/** Pushes a function and its arguments onto a new thread; gives the number of arguments. */
export type Branch = (thread: LuaState) => number;

/** What a suspended primitive goes on with. References are to the registry, and are given up when taken. */
type Answer =
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
  /** What its branches do is the host's, and goes on from what a round of the first hands on. */
  beginsAgain: boolean;
  /** Its branches count the checkpoints of the frame of their parent; the first is a timer. */
  isHere: boolean;
  /** Asked when a branch has ended well: the others are given up. */
  isEnough: () => boolean;
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
  thread.frame = { ...newFrame(frame.position, frame.scope), next: frame.next };
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

/** Branches of a task, of which none has started. */
export function newGroup(state: LuaState, parent: Task, frame: Frame, asked: Fork): Group {
  const { parallel: branches, concurrency, isApart, isBatched, budgetsOf } = asked;
  const { beginsAgain = false, isHere = false, isEnough = () => false } = asked;
  lua.lua_createtable(state, branches.length, 0);
  const results = lauxlib.luaL_ref(state, lua.LUA_REGISTRYINDEX);
  return {
    parent,
    frame,
    branches,
    kept: isApart ? apart(frame.scope.kept) : null,
    budgetsOf: budgetsOf ?? (() => frame.scope.budgets),
    isBatched: isBatched ?? frame.scope.isBatched,
    beginsAgain,
    isHere,
    isEnough,
    concurrency: Math.max(1, concurrency),
    started: 0,
    ended: 0,
    running: new Set(),
    results,
  };
}

/** The task of one branch of a group, in a frame of its own. */
export function branchTask(state: LuaState, group: Group, index: number): Task {
  const { branches, frame, kept, isBatched, budgetsOf, isHere } = group;
  if (isHere) {
    const task = newTask(state, branches[index] as Branch, frame, group, index);
    task.thread.frame = frame;
    return task;
  }
  const branchFrame = newFrame(childPosition(frame.position, index), {
    ...frame.scope,
    isBatched,
    budgets: budgetsOf(index),
    ...(kept === null ? {} : { kept: apart(kept) }),
  });
  return newTask(state, branches[index] as Branch, branchFrame, group, index);
}

/** Branches as a primitive asks for them. */
export interface Fork {
  parallel: readonly Branch[];
  concurrency: number;
  /** Each goes on from what rooms keep for the caller's branch with something of its own. */
  isApart: boolean;
  /** Their models are asked in batches; left out: as their caller's are. */
  isBatched?: boolean;
  /** The host's: they can go on from what a round hands on. Left out: they can't. */
  beginsAgain?: true;
  /** They count the checkpoints of the frame of their caller, and the first is a timer; left out: each has a frame of its own. */
  isHere?: true;
  /** What each of them may use, the widest first; left out: what their caller may. */
  budgetsOf?: (index: number) => readonly BudgetScope[];
  /** Asked when one of them has ended well: whether the others are given up. Left out: all are waited for. */
  isEnough?: () => boolean;
}
