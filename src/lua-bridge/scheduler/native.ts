import { TactusError } from '../../contract/errors.js';
import type { Scheduler } from './scheduler.js';
import type { EffectAsk, Fork } from './task.js';
import { LuaRaised } from './lua-error.js';
import { callingLine } from '../vm/traceback.js';
import { isSuspendable, lua, type CFunction, type LuaState } from '../vm/fengari.js';

/**
 * A primitive is a generator: straight-line code that yields what it needs, made into a Lua function. Whatever it
 * yields is performed with the Lua thread suspended in the way that fits, through pcalls, metamethods and the
 * author's coroutines, and the generator goes on with the result.
 *
 * It gives the number of values that it leaves on top of the stack as results.
 */
export type Native = (L: LuaState) => Generator<Step, number, unknown>;

export type Step =
  /** Ask the host; answers with the recorded JSON value, or throws its TactusError. */
  | { effect: EffectAsk }
  /** Call the function that lies below `call` arguments; leaves `results` results (-1: all), or throws LuaRaised. */
  | { call: number; results: number }
  /** Run branches side by side; leaves a table of their first results, or throws LuaRaised. */
  | Fork
  /** Wait until something has changed in the run, and look again. */
  | { park: true };

type Input = { value: unknown } | { error: unknown };

const notSuspendable =
  "can't wait here: table.sort comparators, string.gsub callbacks and __tostring can't be suspended; do it before, and use the result here";

/** Makes a Lua function of a generator. */
export function toFunction(scheduler: Scheduler, native: Native): CFunction {
  return (L) => advance(scheduler, L, native(L), { value: undefined });
}

function advance(scheduler: Scheduler, L: LuaState, generator: ReturnType<Native>, first: Input): number {
  for (let input = first; ;) {
    const step = resume(scheduler, L, generator, input);
    if (step.done === true) return step.value;
    if ('call' in step.value) {
      const { call, results } = step.value;
      const handler = lua.lua_gettop(L) - call;
      lua.lua_pushcfunction(L, (thread) => {
        scheduler.notes.note(thread);
        return 1;
      });
      lua.lua_insert(L, handler);
      const status = lua.lua_pcallk(L, call, results, handler, handler, (thread, ended) =>
        advance(scheduler, thread, generator, called(scheduler, thread, ended, handler)),
      );
      input = called(scheduler, L, status, handler);
      continue;
    }
    if (!isSuspendable(L)) {
      const at = callingLine(L);
      input = {
        error: new TactusError(
          'not_yieldable',
          `${at === null ? '' : `${at.file}:${at.line}: `}${notSuspendable}`,
        ),
      };
      continue;
    }
    if ('effect' in step.value) {
      const refused = attempt(scheduler, L, step.value.effect);
      if (refused !== null) {
        input = { error: refused };
        continue;
      }
    } else if ('park' in step.value) scheduler.park();
    else scheduler.fork(L, step.value);
    return lua.lua_yieldk(L, 0, null, (thread) =>
      advance(scheduler, thread, generator, scheduler.takeAnswer(thread)),
    );
  }
}

/** Asks for an effect; gives the error where it is refused. */
function attempt(scheduler: Scheduler, L: LuaState, effect: EffectAsk): TactusError | null {
  try {
    scheduler.ask(L, effect);
    return null;
  } catch (error) {
    if (error instanceof TactusError) return error;
    throw error;
  }
}

/** A protected call has ended: takes the error handler away from below its results. */
function called(scheduler: Scheduler, L: LuaState, status: number, handler: number): Input {
  lua.lua_remove(L, handler);
  return status === lua.LUA_OK || status === lua.LUA_YIELD
    ? { value: undefined }
    : { error: scheduler.notes.raised };
}

function resume(
  scheduler: Scheduler,
  L: LuaState,
  generator: ReturnType<Native>,
  input: Input,
): IteratorResult<Step, number> {
  try {
    return 'error' in input ? generator.throw(input.error) : generator.next(input.value);
  } catch (error) {
    if (error instanceof LuaRaised) return lua.lua_error(L);
    return scheduler.notes.rethrow(L, error);
  }
}
