import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonValue } from '../../contract/json/json.js';
import { labelProblem } from '../../contract/runs/labels.js';
import { mostExperiments, mostVariants, variantFor, type Weights } from '../../contract/scores/experiment.js';
import { recorded } from '../checkpoints/checkpointed.js';
import {
  lauxlib,
  Library,
  lua,
  native,
  pushText,
  toJson,
  toText,
  type Bridge,
  type Native,
} from '../kernel/index.js';
import { mocks } from '../mocks/mocks.js';
import { marks } from '../progress/marks.js';

/** `Experiment.variant(name, {"a", "b"})`: which variant of an experiment the run has. */
export function openExperiment(bridge: Bridge): void {
  experiment.open(bridge);
}

const experiment = new Library('Experiment', (bridge) => ({ variant: native(bridge, variant(bridge)) }));

function variant(bridge: Bridge): Native {
  return function* (L) {
    lauxlib.luaL_checktype(L, 2, lua.LUA_TTABLE);
    const name = lua.lua_type(L, 1) === lua.LUA_TSTRING ? (toText(L, 1) ?? '') : '';
    const weights = readWeights(name, toJson(L, 2));
    const { variants } = marks.of(bridge);
    const known = getOwn(variants, name);
    if (known === undefined && Object.keys(variants).length >= mostExperiments)
      throw wrong(`a run has variants in at most ${mostExperiments} experiments`);
    const mocked = mocks.of(bridge).result(name, { ...weights }, 'input_invalid');
    const spec = {
      type: 'experiment',
      ...{ name, input: { variants: { ...weights } }, digest: '' },
      compared: { data: null, settings: { variants: { ...weights } } },
    } as const;
    const chosen = yield* recorded(
      bridge,
      L,
      spec,
      () => known ?? mocked?.value ?? variantFor(name, bridge.run.id, weights),
    );
    if (typeof chosen !== 'string' || getOwn(weights, chosen) === undefined)
      throw wrong(`the run has the variant ${JSON.stringify(chosen)} of ${name}, which is none of these`);
    setOwn(variants, name, chosen);
    pushText(L, chosen);
    return 1;
  };
}

/** @throws TactusError lua_error */
function readWeights(name: string, given: JsonValue): Weights {
  const pairs: [string, JsonValue][] = Array.isArray(given)
    ? given.map((each) => [typeof each === 'string' ? each : '', 1])
    : isObject(given)
      ? Object.entries(given)
      : [];
  const weights: Weights = {};
  for (const [key, weight] of pairs) {
    const problem = labelProblem(name, key);
    if (problem !== null)
      throw wrong('takes a name (letters, digits, "_", "-" and ".") and names of variants');
    if (getOwn(weights, key) !== undefined) throw wrong(`has the variant ${key} twice`);
    if (typeof weight !== 'number' || !Number.isFinite(weight) || weight <= 0)
      throw wrong(`needs a weight above 0 for ${key}`);
    setOwn(weights, key, weight);
  }
  if (pairs.length < 2 || pairs.length > mostVariants) throw wrong(`takes 2 to ${mostVariants} variants`);
  return weights;
}

function wrong(problem: string): TactusError {
  return new TactusError('lua_error', `Experiment.variant: ${problem}`);
}
