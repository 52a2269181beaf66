import type { EffectRequest, Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import type { Holds } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import { jsonSize } from '../../contract/json/json.js';
import type { Limits } from '../../contract/runs/limits.js';
import { AwaitedEffects } from './awaited-effects.js';
import { checkpointName, requestOf, type EffectAsk } from './effect-ask.js';
import { ErrorNotes } from './lua-error.js';
import type { RunMeter } from '../vm/meter.js';
import {
  branchTask,
  currentFrame,
  newGroup,
  newTask,
  type Branch,
  type Fork,
  type Frame,
  type Group,
  type Scope,
  type Task,
} from './task.js';
import { lauxlib, lua, type LuaState } from '../vm/fengari.js';

/**
 * Runs the coroutines of a program, one at a time and in a fixed order: each goes on until it waits for something,
 * so nothing but the order of the answers decides what happens. It knows nothing of what effects do.
 *
 * Owns: the tasks of a program, and what each waits for; see `AwaitedEffects`.
 * Asks: `RunMeter` whether the slice is used up.
 * Invariants:
 *  1. One task runs at a time. Those that are ready run in the order in which they became so.
 *  2. Between two calls of `run`, a task is ready, waits for one effect, is parked, or waits for its branches.
 *  3. A task that was given up never runs again.
 */
export class Scheduler {
  /** Set while a thread yields to us rather than to the author's code. */
  suspending = false;
  /** How the first task ended. */
  ending: { error: TactusError | null } | null = null;
  readonly awaited: AwaitedEffects;
  readonly notes: ErrorNotes;
  private readonly maxEffectBytes: number;
  private readonly ready: Task[] = [];
  private first: Task | null = null;
  /** Those that wait for something to change in the run itself. */
  private readonly parked = new Set<Task>();
  private current: Task | null = null;
  /** What takes the place of all tasks as soon as it is due; null: nothing does. */
  private replacement: { isDue: () => boolean; body: Branch; frame: Frame } | null = null;

  constructor(
    private readonly state: LuaState,
    private readonly meter: RunMeter,
    limits: Limits,
    private readonly holds: Holds,
    private readonly onAsk: (request: EffectRequest, scope: Scope) => void,
  ) {
    this.awaited = new AwaitedEffects(meter);
    this.maxEffectBytes = limits.payloadBytes;
    this.notes = new ErrorNotes(limits.errorMessageBytes);
  }

  start(body: Branch, root: Frame): void {
    this.first = newTask(this.state, body, root, null, 0);
    this.ready.push(this.first);
  }

  /** All tasks are given up as soon as that is due, and another one takes their place. */
  replaceWhen(isDue: () => boolean, body: Branch, frame: Frame): void {
    this.replacement = { isDue, body, frame };
  }

  private replaceIfDue(): void {
    if (this.replacement?.isDue() !== true) return;
    const { body, frame } = this.replacement;
    this.replacement = null;
    if (this.first !== null) this.drop(this.first);
    this.ready.length = 0;
    this.parked.clear();
    this.start(body, frame);
  }

  /** Whether the thread that just yielded is to be passed on to the scheduler. */
  get isSuspending(): boolean {
    return this.suspending || this.meter.sliceEnded;
  }

  /** Every task waits for something. */
  get isIdle(): boolean {
    return this.ready.length === 0;
  }

  /**
   * One task runs, and nothing else is under way: no effect but timers of deadlines around, and no branch but those that can begin again
   * from what the running one hands on, and have nothing to do.
   */
  get isAlone(): boolean {
    if (this.ready.length !== 1) return false;
    let timers = 0;
    for (let task = this.current; task !== null && task.group !== null; task = task.group.parent) {
      const { running, beginsAgain, isHere } = task.group;
      const others = [...running].filter((each) => each !== task);
      if (isHere) {
        timers += others.length;
        continue;
      }
      if (!beginsAgain || !others.every((each) => this.parked.has(each))) return false;
    }
    return this.current !== null && this.awaited.pending.size === timers;
  }

  /** Runs until every task waits, the slice is used up, or the first task has ended. */
  run(): 'blocked' | 'slice' | 'finished' {
    for (;;) {
      this.replaceIfDue();
      const [task] = this.ready;
      if (task === undefined) break;
      // Else a long turn of an agent, replayed from its log, would use up the overdraft that is meant for one call.
      if (this.meter.isSliceUsed && this.holds('slices-between-tasks')) return 'slice';
      this.current = task;
      this.suspending = false;
      const args = task.args;
      task.args = 0;
      const status = lua.lua_resume(task.thread, null, args);
      if (status === lua.LUA_YIELD && this.meter.sliceEnded) return 'slice';
      this.ready.shift();
      if (status !== lua.LUA_YIELD) this.end(task, status === lua.LUA_OK);
      if (this.ending !== null) return 'finished';
    }
    if (this.parked.size > 0 && this.awaited.pending.size === 0)
      throw new Error('branches wait for others, and nothing is under way that could wake them');
    return 'blocked';
  }

  /** The task that waits at this position goes on with the outcome. */
  settle(position: Position, outcome: Outcome): void {
    const task = this.awaited.taskAt(position);
    if (task === undefined) return;
    this.awaited.forget(task);
    task.answer = outcome.ok
      ? { kind: 'value', value: outcome.value }
      : { kind: 'failure', error: new TactusError(outcome.code, outcome.message) };
    this.ready.push(task);
    this.wake();
  }

  /**
   * The running task waits for an effect.
   * @throws TactusError payload_too_large, non_determinism
   */
  ask(L: LuaState, asked: EffectAsk): void {
    const task = this.running();
    const bytes = jsonSize(asked.effect);
    this.meter.charge(bytes >> 1);
    if (bytes > this.maxEffectBytes)
      throw new TactusError(
        'payload_too_large',
        `${checkpointName(asked.name)}: ${bytes} bytes are more than the ${this.maxEffectBytes} that can be sent`,
      );
    const request = requestOf(L, asked, bytes, this.holds);
    this.onAsk(request, currentFrame(L).scope);
    this.awaited.wait(task, request);
    this.suspending = true;
  }

  /** The running task waits for branches, whose checkpoints stand at `<frame>.<branch>.<n>`. */
  fork(L: LuaState, asked: Fork): void {
    const parent = this.running();
    const group = newGroup(this.state, parent, currentFrame(L), asked);
    parent.children = group;
    this.suspending = true;
    this.advance(group);
  }

  /** The running task waits until something has changed: an effect has its answer, or was given up. */
  park(): void {
    const task = this.running();
    this.parked.add(task);
    this.suspending = true;
  }

  /**
   * Those that are parked look again. Gives whether there are any.
   * @param isOverdue nothing else will change that they wait for
   */
  wake(isOverdue = false): boolean {
    const isAny = this.parked.size > 0;
    for (const task of this.parked) task.answer = { kind: 'value', value: isOverdue };
    this.ready.push(...this.parked);
    this.parked.clear();
    return isAny;
  }

  /** What the primitive in this thread goes on with after its suspension. */
  takeAnswer(L: LuaState): { value: unknown } | { error: unknown } {
    const { answer } = this.running();
    if (answer.kind === 'value') return { value: answer.value };
    if (answer.kind === 'failure') return { error: answer.error };
    lua.lua_checkstack(L, 2);
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, answer.reference);
    lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, answer.reference);
    return answer.kind === 'results' ? { value: undefined } : { error: this.notes.raised };
  }

  private running(): Task {
    if (this.current === null) throw new Error('no task runs');
    return this.current;
  }

  private end(task: Task, ok: boolean): void {
    lauxlib.luaL_unref(this.state, lua.LUA_REGISTRYINDEX, task.anchor);
    if (task.group === null) this.ending = { error: ok ? null : this.notes.toError(task.thread) };
    else if (ok) this.endBranch(task, task.group);
    else this.fail(task, task.group);
  }

  private endBranch(task: Task, group: Group): void {
    lua.lua_settop(task.thread, 1);
    lua.lua_rawgeti(this.state, lua.LUA_REGISTRYINDEX, group.results);
    lua.lua_xmove(task.thread, this.state, 1);
    lua.lua_rawseti(this.state, -2, task.index + 1);
    lua.lua_pop(this.state, 1);
    group.running.delete(task);
    group.ended++;
    if (group.isEnough()) this.endEarly(group);
    else this.advance(group);
  }

  /** The branches that have ended are enough: the others are given up, and the parent goes on. */
  private endEarly(group: Group): void {
    this.giveUp(group);
    this.resumeParent(group, { kind: 'results', reference: group.results });
  }

  /** One branch failed: the others are given up, and the parent gets the error. */
  private fail(task: Task, group: Group): void {
    this.notes.note(task.thread);
    group.running.delete(task);
    this.giveUp(group);
    lauxlib.luaL_unref(this.state, lua.LUA_REGISTRYINDEX, group.results);
    lua.lua_xmove(task.thread, this.state, 1);
    this.resumeParent(group, {
      kind: 'raised',
      reference: lauxlib.luaL_ref(this.state, lua.LUA_REGISTRYINDEX),
    });
  }

  private giveUp(group: Group): void {
    for (const task of group.running) this.drop(task);
    group.running.clear();
    this.wake();
  }

  private drop(task: Task): void {
    this.awaited.giveUp(task);
    this.parked.delete(task);
    if (task.children !== null) this.giveUp(task.children);
    const queued = this.ready.indexOf(task);
    if (queued >= 0) this.ready.splice(queued, 1);
    lauxlib.luaL_unref(this.state, lua.LUA_REGISTRYINDEX, task.anchor);
  }

  /** Starts as many branches as may run; when all have ended, the parent goes on. */
  private advance(group: Group): void {
    const { branches } = group;
    while (group.started < branches.length && group.running.size < group.concurrency) {
      const task = branchTask(this.state, group, group.started++);
      group.running.add(task);
      this.ready.push(task);
    }
    if (group.ended === branches.length)
      this.resumeParent(group, { kind: 'results', reference: group.results });
  }

  private resumeParent(group: Group, answer: Task['answer']): void {
    group.parent.children = null;
    group.parent.answer = answer;
    this.ready.push(group.parent);
  }
}
