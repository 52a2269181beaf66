import { TactusError } from '../../contract/errors.js';
import { getOwn, setOwn } from '../../contract/json/json.js';
import { labelProblem, mostLabels, tooManyLabels, type Labels } from '../../contract/runs/labels.js';
import type { Marks } from '../../contract/runs/marks.js';
import {
  fieldsPart,
  lauxlib,
  literal,
  lua,
  PerRun,
  toText,
  type Bridge,
  type CFunction,
} from '../kernel/index.js';

/** What a run is found and compared by. */
class RunMarks {
  labels: Labels;
  variants: NonNullable<Marks['variants']>;
  scores: NonNullable<Marks['scores']>;

  constructor({ labels = {}, variants = {}, scores = {} }: Marks) {
    this.labels = { ...labels };
    this.variants = { ...variants };
    this.scores = { ...scores };
  }

  get shown(): Marks {
    const { labels, variants, scores } = this;
    return {
      ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
      ...(Object.keys(variants).length === 0 ? {} : { variants: { ...variants } }),
      ...(Object.keys(scores).length === 0 ? {} : { scores: { ...scores } }),
    };
  }
}

/** A later pass has those that the pass before had come to. */
export const marks = new PerRun(
  ({ run: { labels, pass } }: Bridge): RunMarks => new RunMarks(pass?.marks ?? { labels }),
  fieldsPart<RunMarks>('marks'),
);

const labelCost = 200;

/** `Procedure.label(key, value)`: sets a label of the run, or takes it off where the value is nil. */
export function label(bridge: Bridge): CFunction {
  return (L) => {
    const key =
      lua.lua_type(L, 1) === lua.LUA_TSTRING
        ? (toText(L, 1) ?? '')
        : lauxlib.luaL_argerror(L, 1, literal('the key of a label expected'));
    lauxlib.luaL_checkany(L, 2);
    const isText = lua.lua_type(L, 2) === lua.LUA_TSTRING;
    if (!isText && !lua.lua_isnil(L, 2)) lauxlib.luaL_argerror(L, 2, literal('a text or nil expected'));
    bridge.meter.charge(labelCost);
    const { labels } = marks.of(bridge);
    if (isText) bridge.scheduler.notes.guard(L, () => setLabel(labels, key, toText(L, 2) ?? ''));
    else delete labels[key];
    return 0;
  };
}

/** @throws TactusError lua_error */
function setLabel(labels: Labels, key: string, value: string): void {
  const isFull = getOwn(labels, key) === undefined && Object.keys(labels).length >= mostLabels;
  const problem = isFull ? tooManyLabels : labelProblem(key, value);
  if (problem !== null) throw new TactusError('lua_error', `Procedure.label: ${problem}`);
  setOwn(labels, key, value);
}
