import { TactusError } from '../../contract/errors.js';
import { isWithin, type Position } from '../../contract/checkpoints/checkpoint.js';
import { cutMessage } from '../../contract/text/plain-text.js';
import {
  branchOf,
  closeFrame,
  currentFrame,
  cleanups,
  lauxlib,
  lua,
  openFrame,
  type Branch,
  type Bridge,
  type Cleanup,
  type CleanupStep,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { heldBack, type HeldBack } from './attempted.js';
import { checkpointed } from './checkpointed.js';

/** What a message says of one that failed is no longer than this, in bytes. */
const mostReasonBytes = 300;

/**
 * Does work in the frame that is open, and then what was registered for it: all where it fails, else what is always done.
 * @throws what the work failed with, with what failed after it
 */
export function* withCleanup<T>(
  bridge: Bridge,
  L: LuaState,
  work: (cleanup: Cleanup) => Generator<Step, T, unknown>,
): Generator<Step, T, unknown> {
  const frame = currentFrame(L);
  const { scope } = frame;
  const around = scope.cleanup;
  const cleanup: Cleanup = { frame, steps: [], isRunning: false };
  if (!bridge.holds('sagas')) return yield* work(cleanup);
  const all = cleanups.of(bridge);
  all.open.add(cleanup);
  scope.cleanup = cleanup;
  const close = (): void => {
    all.open.delete(cleanup);
    if (around === undefined) delete scope.cleanup;
    else scope.cleanup = around;
  };
  let result: T;
  try {
    result = yield* work(cleanup);
  } catch (error) {
    if (cleanup.steps.length === 0) {
      close();
      throw error;
    }
    const failed = heldBack(bridge, L, error);
    const problems = yield* runSteps(bridge, L, cleanup, true);
    close();
    yield* obey(bridge);
    throw withProblems(bridge, L, failed, problems);
  }
  const [problem] = yield* runSteps(bridge, L, cleanup, false);
  close();
  yield* obey(bridge);
  if (problem !== undefined) throw problem.failed.again(L);
  return result;
}

interface Problem {
  name: string;
  failed: HeldBack;
}

function* runSteps(
  bridge: Bridge,
  L: LuaState,
  cleanup: Cleanup,
  hasFailed: boolean,
): Generator<Step, Problem[], unknown> {
  const problems: Problem[] = [];
  if (!hasFailed) drop(L, cleanup);
  cleanup.isRunning = cleanup.steps.length > 0;
  for (let step = cleanup.steps.at(-1); step !== undefined; step = cleanup.steps.at(-1)) {
    const failed = yield* runStep(bridge, L, step);
    cleanup.steps.pop();
    if (failed !== null) problems.push({ name: step.name, failed });
  }
  cleanup.isRunning = false;
  return problems;
}

/** Of what has ended well, only what is always done has its turn. */
function drop(L: LuaState, cleanup: Cleanup): void {
  for (const { body, isAlways } of cleanup.steps)
    if (!isAlways) lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, body);
  cleanup.steps = cleanup.steps.filter(({ isAlways }) => isAlways);
}

/** Runs one in a frame of its own. Gives what it failed with; null: it has ended well. */
function* runStep(
  bridge: Bridge,
  L: LuaState,
  { name, body, isAlways }: CleanupStep,
): Generator<Step, HeldBack | null, unknown> {
  const top = lua.lua_gettop(L);
  const followUp = isAlways ? 'deferred' : 'compensation';
  const title = `${name} · ${followUp}`;
  // It is no part of what another attempt would do: it follows from how this one ended.
  const frame = { input: null, digest: '', scope: { step: name, attempted: undefined } };
  const spec = { type: 'step', name, title, followUp, ...frame } as const;
  try {
    yield* checkpointed(bridge, L, spec, () =>
      withCleanup(bridge, L, function* () {
        lua.lua_checkstack(L, 2);
        lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
        yield { call: 0, results: 0 };
        return null;
      }),
    );
    return null;
  } catch (error) {
    const failed = heldBack(bridge, L, error);
    const message = `${title} failed: ${cutMessage(failed.text, mostReasonBytes)}`;
    bridge.show({ kind: 'log', level: 'error', message, context: null });
    return failed;
  } finally {
    lua.lua_settop(L, top);
    lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, body);
  }
}

/** The error as it was, with what failed after it in its words; one that is no text stays as it is. */
function withProblems({ limits }: Bridge, L: LuaState, failed: HeldBack, problems: Problem[]): unknown {
  const [first] = problems;
  if (first === undefined || !failed.isText) {
    for (const problem of problems) problem.failed.drop();
    return failed.again(L);
  }
  const texts = problems.map(
    ({ name, failed: each }) => `'${name}': ${cutMessage(each.text, mostReasonBytes)}`,
  );
  for (const problem of problems) problem.failed.drop();
  const message = `${failed.text}; failed after it: ${texts.join('; ')}`;
  const { code } = failed;
  failed.drop();
  return new TactusError(code, cutMessage(message, limits.errorMessageBytes));
}

/** The run was asked to end meanwhile: nothing goes on here. */
function* obey(bridge: Bridge): Generator<Step, void, unknown> {
  const all = cleanups.of(bridge);
  while (all.isCancelled && !all.isRunning) yield { park: true };
}

/** Whether parts were given up at or below a position, which have something to be done. */
export function hasGivenUp(bridge: Bridge, position: Position, before: ReadonlySet<Cleanup>): boolean {
  return [...cleanups.of(bridge).open].some((each) => isGivenUp(each, position, before));
}

function isGivenUp(cleanup: Cleanup, position: Position, before: ReadonlySet<Cleanup>): boolean {
  const isBelow = position === '' || isWithin(cleanup.frame.position, position);
  return isBelow && !before.has(cleanup);
}

/** Runs what is open of parts that were given up, in a frame that has taken their place. */
export function* cleanUpWithin(
  bridge: Bridge,
  L: LuaState,
  position: Position,
  before: ReadonlySet<Cleanup>,
): Generator<Step, void, unknown> {
  yield* runAll(bridge, L, (cleanup) => isGivenUp(cleanup, position, before));
}

function* runAll(
  bridge: Bridge,
  L: LuaState,
  isMeant: (cleanup: Cleanup) => boolean,
): Generator<Step, string[], unknown> {
  const all = cleanups.of(bridge);
  const problems: string[] = [];
  const meant = [...all.open].filter(isMeant);
  for (const cleanup of meant) cleanup.isRunning = true;
  for (;;) {
    const next = all.steps.find(({ cleanup }) => meant.includes(cleanup));
    if (next === undefined) break;
    const { frame } = next.cleanup;
    openFrame(L, frame);
    const failed = yield* runStep(bridge, L, next.step);
    closeFrame(L, frame);
    next.cleanup.steps = next.cleanup.steps.filter((step) => step !== next.step);
    if (failed === null) continue;
    problems.push(`'${next.step.name}': ${cutMessage(failed.text, mostReasonBytes)}`);
    failed.drop();
  }
  for (const cleanup of meant) all.open.delete(cleanup);
  return problems;
}

/** What a run that was asked to end does in place of all else. */
export function cancelledWork(bridge: Bridge): Branch {
  return branchOf(bridge, function* (L) {
    const all = cleanups.of(bridge);
    all.isCancelled = false;
    all.problems.push(...(yield* runAll(bridge, L, () => true)));
    return 0;
  });
}
