import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { readDuration, readMoment } from '../../contract/time/duration.js';
import { assertInTime } from '../budgets/deadline.js';
import type { FrameSpec } from '../checkpoints/checkpointed.js';
import { inRounds } from '../checkpoints/rounds.js';
import {
  currentFrame,
  functionAt,
  jsonAt,
  lauxlib,
  Library,
  lua,
  native,
  pushJson,
  toJson,
  toText,
  type Bridge,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { pushSession } from './session-library.js';
import { openTriggers, type Triggers } from './triggers.js';

/** `DurableLoop {request =, deadline =, checkpoint_on =, body = function(request, session) … end}`. */
export function openDurableLoop(bridge: Bridge): void {
  library.open(bridge);
}

const library = new Library('DurableLoop', () => ({}), {
  isReplaceable: true,
  call: (bridge) => native(bridge, durableLoop(bridge)),
});

function durableLoop(bridge: Bridge): Native {
  return function* (L) {
    lauxlib.luaL_checktype(L, 2, lua.LUA_TTABLE);
    const { name, request, deadline, body, on } = readLoop(bridge, L, 2);
    const around = currentFrame(L).scope.deadline;
    const until = Math.min(deadline ?? Infinity, around ?? Infinity);
    const spec = (_: JsonValue, index: number): FrameSpec => ({
      type: 'round',
      name,
      title: `${name} · round ${index}`,
      input: request === null ? null : { request },
      digest: digestOf(request),
      ...(until === Infinity ? {} : { scope: { deadline: until } }),
    });
    const { loops } = openTriggers.of(bridge);
    const loop: Triggers = { position: '', on };
    loops.push(loop);
    try {
      const { result } = yield* inRounds(bridge, L, spec, null, function* () {
        loop.position = currentFrame(L).position;
        assertInTime(bridge, L, 'evaluation started');
        lua.lua_checkstack(L, 8);
        lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
        pushJson(L, request);
        pushSession(bridge, L);
        yield { call: 2, results: 1 };
        const value = toJson(L, -1, bridge.limits.depth);
        lua.lua_pop(L, 1);
        return { kept: null, result: value, isLast: value !== null };
      });
      pushJson(L, result);
      return 1;
    } finally {
      loops.splice(loops.indexOf(loop), 1);
    }
  };
}

interface Loop {
  name: string;
  request: JsonValue;
  /** In ms since 1970; null: there is none. */
  deadline: number | null;
  /** Registry reference. */
  body: number;
  on: Triggers['on'];
}

const keys = ['name', 'request', 'deadline', 'checkpoint_on', 'body'];

/** @throws TactusError lua_error naming what is wrong */
function readLoop(bridge: Bridge, L: LuaState, config: number): Loop {
  lua.lua_pushnil(L);
  while (lua.lua_next(L, config)) {
    const key = lua.lua_type(L, -2) === lua.LUA_TSTRING ? toText(L, -2) : null;
    if (key === null || !keys.includes(key))
      throw loopError(`has no ${key ?? 'items'}: it has ${keys.join(', ')}`);
    lua.lua_pop(L, 1);
  }
  const body = functionAt(L, config, 'body');
  if (body === null) throw loopError('needs body = function(request, session) … end');
  const name = jsonAt(L, config, 'name') ?? 'durable_loop';
  if (typeof name !== 'string' || name === '') throw loopError('name must be a text');
  const given = jsonAt(L, config, 'deadline');
  return {
    name,
    request: jsonAt(L, config, 'request'),
    deadline: given === null ? null : deadlineOf(given, bridge.now()),
    body,
    on: triggersAt(L, config),
  };
}

/** A time from now on, or a moment: the same for all rounds, and for whoever goes on with the log. */
function deadlineOf(given: JsonValue, now: number): number {
  const moment = typeof given === 'string' ? readMoment(given) : null;
  const deadline = moment ?? now + readDuration(given, 'DurableLoop: deadline', 'lua_error');
  if (deadline <= now) throw loopError('deadline: Deadline expires_at must be in the future.');
  if (deadline - now < 1_000)
    throw loopError('deadline: Deadline must be at least one second in the future.');
  return deadline;
}

function triggersAt(L: LuaState, config: number): Triggers['on'] {
  const body = functionAt(L, config, 'checkpoint_on');
  if (body !== null) return { body };
  const given = jsonAt(L, config, 'checkpoint_on') ?? ['plan_step_done'];
  const names = typeof given === 'string' ? [given] : given;
  if (Array.isArray(names) && names.every((each) => typeof each === 'string')) return { names };
  throw loopError(
    `checkpoint_on must be a list of names, such as {"plan_step_done"}, or a function, got ${JSON.stringify(given)}`,
  );
}

function loopError(problem: string): TactusError {
  return new TactusError('lua_error', `DurableLoop: ${problem}`);
}
