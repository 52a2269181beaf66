import type { ChildRun } from '../../contract/runs/child-run.js';
import {
  lauxlib,
  literal,
  lua,
  PerRun,
  toJson,
  toText,
  type Bridge,
  type LuaState,
  type RunMeter,
  type Step,
} from '../kernel/index.js';
import { asJson, isObject, jsonAs, jsonSize, type JsonValue } from '../../contract/json/json.js';
import { readBudget } from '../../contract/budgets/budget.js';
import { affordRun, isNamed, type RunShare } from '../budgets/afford.js';

/** A run that the procedure has started without waiting for it. */
export interface SpawnedRun {
  id: string;
  /** As it was named; null for a run that was started elsewhere. */
  file: string | null;
  /** In ms since 1970, by the procedure's clock. */
  startedAt: number | null;
  /** How it ended; null as long as the procedure hasn't been told of an end. */
  ended: { child: ChildRun; at: number } | null;
}

const runBytes = 500;

/** The runs that a procedure has spoken of by their ids. What it was told once it needn't ask for again. */
export class SpawnedRuns {
  private readonly known = new Map<string, SpawnedRun>();

  constructor(private readonly meter: RunMeter) {}

  add(id: string, file: string, startedAt: number): void {
    this.meter.keep(runBytes);
    this.known.set(id, { id, file, startedAt, ended: null });
  }

  /** Ids of those whose end the procedure hasn't been told of. */
  get open(): string[] {
    return [...this.known.values()].flatMap(({ id, ended }) => (ended === null ? [id] : []));
  }

  /** For a snapshot. */
  handOver(): JsonValue {
    return asJson([...this.known.values()]);
  }

  goOnWith(taken: JsonValue): void {
    this.known.clear();
    for (const run of jsonAs<SpawnedRun[]>(taken)) this.known.set(run.id, run);
  }

  find(id: string): SpawnedRun {
    return this.known.get(id) ?? { id, file: null, startedAt: null, ended: null };
  }

  /** The procedure is told how a run stands. The first end that it is told of counts. */
  note(child: ChildRun, at: number): void {
    const run = this.find(child.id);
    if (!child.terminal || run.ended !== null) return;
    this.meter.keep(runBytes + jsonSize(child.output));
    this.known.set(child.id, { ...run, ended: { child, at } });
  }
}

export const spawnedRuns = new PerRun(({ meter }) => new SpawnedRuns(meter), {
  name: 'spawned runs',
  take: (runs) => runs.handOver(),
  put: (runs, taken) => runs.goOnWith(taken),
});

/** Another file that is to run, as `Procedure.run(file, input, {budget = …})` names it. */
interface AskedChild {
  file: string;
  input: JsonValue;
  /** As it was written. */
  budget: JsonValue;
  /** What the author called. */
  call: string;
  type: 'procedure_call' | 'procedure_spawn';
}

export function childAt(L: LuaState, call: string, type: AskedChild['type']): AskedChild {
  const file = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('a file name expected'));
  const input: JsonValue = lua.lua_isnoneornil(L, 2) ? {} : toJson(L, 2);
  const options = lua.lua_isnoneornil(L, 3) ? {} : toJson(L, 3);
  return { file, input, call, type, budget: isObject(options) ? (options['budget'] ?? null) : null };
}

/**
 * What the run may use, as it says or as is left.
 * @throws TactusError lua_error, budget_exhausted
 */
export function* affordChild(
  bridge: Bridge,
  L: LuaState,
  { file, call, type, budget: given }: AskedChild,
): Generator<Step, RunShare, unknown> {
  if (!bridge.holds('budgets')) return {};
  const own = given === null ? null : readBudget(given, `${call}: budget`, 'lua_error');
  return yield* affordRun(bridge, L, {
    what: `${call} of ${file}`,
    own,
    isRecorded: isNamed({ type, name: file }),
  });
}
