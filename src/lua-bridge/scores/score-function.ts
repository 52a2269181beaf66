import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonValue } from '../../contract/json/json.js';
import { mostOwnScores, scoreProblem, type ScoreValue } from '../../contract/scores/score.js';
import { recorded } from '../checkpoints/checkpointed.js';
import { lauxlib, lua, toJson, toText, type Bridge, type Native } from '../kernel/index.js';
import { marks } from '../progress/marks.js';

/** `Procedure.score(name, value, {comment =})`: what the procedure thinks of its run. */
export function score(bridge: Bridge): Native {
  return function* (L) {
    lauxlib.luaL_checkany(L, 2);
    const name = lua.lua_type(L, 1) === lua.LUA_TSTRING ? (toText(L, 1) ?? '') : '';
    const value = toJson(L, 2);
    const comment = commentOf(lua.lua_isnoneornil(L, 3) ? {} : toJson(L, 3));
    const { scores } = marks.of(bridge);
    const isFull = getOwn(scores, name) === undefined && Object.keys(scores).length >= mostOwnScores;
    const problem = isFull
      ? `a procedure gives scores of at most ${mostOwnScores} names`
      : scoreProblem(name, value, comment);
    if (problem !== null) throw new TactusError('lua_error', `Procedure.score: ${problem}`);
    const input = { value, ...(comment === null ? {} : { comment }) };
    const spec = {
      type: 'score',
      ...{ name, input, digest: digestOf(value) },
      compared: { data: value, settings: { comment } },
    } as const;
    yield* recorded(bridge, L, spec, () => value);
    setOwn(scores, name, { value: value as ScoreValue, at: new Date(bridge.now()).toISOString() });
    return 0;
  };
}

/** @throws TactusError lua_error */
function commentOf(given: JsonValue): JsonValue {
  const options = Array.isArray(given) && given.length === 0 ? {} : given;
  const isKnown = isObject(options) && Object.keys(options).every((key) => key === 'comment');
  if (!isKnown) throw new TactusError('lua_error', 'Procedure.score takes a table of comment alone');
  return options['comment'] ?? null;
}
