import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { pushJson, toJson } from '../values/marshal.js';
import type { SpawnedRuns } from './spawned-runs.js';
import type { CFunction } from '../vm/fengari.js';
import { look } from './child-runs.js';

const call = 'Procedure.await_children';
const mostChildren = 1_000;

interface ChildWait {
  ids: string[];
  mode: 'all' | 'any';
}

/** `Procedure.await_children{children = {{id = …}}, mode = "all"|"any"}`: waits for runs by their ids, of whomever. */
export function awaitChildren(bridge: Bridge, runs: SpawnedRuns): CFunction {
  return native(bridge, function* (L) {
    const { ids, mode } = readWait(toJson(L, 1));
    const what = 'external_children_wait';
    const { children } = yield* look(bridge, runs, { what, ids, until: mode, timeout: null });
    pushJson(L, { children: children as unknown as JsonValue[], complete: true });
    return 1;
  });
}

/** @throws TactusError lua_error naming the field */
function readWait(given: JsonValue): ChildWait {
  if (!isObject(given)) throw wrong('needs a table with children and mode');
  const stranger = Object.keys(given).find((key) => key !== 'children' && key !== 'mode');
  if (stranger !== undefined) throw wrong(`has no field ${stranger}: it has children and mode`);
  const { children = null, mode = 'all' } = given;
  if (mode !== 'all' && mode !== 'any')
    throw wrong(`needs "all" or "any" as mode, got ${JSON.stringify(mode)}`);
  if (!Array.isArray(children) || children.length === 0)
    throw wrong('needs at least one child: children = {{id = "…"}}');
  if (children.length > mostChildren)
    throw wrong(`has ${children.length} children; ${mostChildren} are allowed`);
  const ids = children.map((child) => {
    const id = isObject(child) ? (child['id'] ?? null) : child;
    if (typeof id !== 'string' || id.trim() === '')
      throw wrong('needs the id of a run for each of its children');
    return id;
  });
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw wrong(`has the child ${JSON.stringify(twice)} twice`);
  return { ids, mode };
}

function wrong(problem: string): TactusError {
  return new TactusError('lua_error', `${call} ${problem}`);
}
