import { hasCode, TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { planText, readPlan, type PlanChange, type PlanResult } from '../../contract/sessions/plan.js';
import { planningGuidance, strategies, type Strategy } from '../../contract/sessions/planning-guidance.js';
import {
  Library,
  lua,
  PerRun,
  pushHandle,
  toJson,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { declaredTools, declaredToolsets, newTool, type ToolDeclaration } from '../tools/tool-declaration.js';
import { applyChange } from './plan-changes.js';
import { changeFields, readChange } from './plan-primitive.js';
import { sessionAt } from './session-of-run.js';

/** `PlanningTools {strategy = "react"}`: a toolset by which an agent keeps the plan of the session, with WINK's names and texts. */
export function openPlanningTools(bridge: Bridge, toolset: HandleType): void {
  const { notes } = bridge.scheduler;
  const call: CFunction = (L) => {
    const strategy = notes.guard(L, () => readStrategy(lua.lua_isnoneornil(L, 2) ? null : toJson(L, 2)));
    const members = planningTools.of(bridge).map((tool) => ({ of: { tool }, selection: null }));
    const declared = { name: null, members, guidance: planningGuidance(strategy) };
    declaredToolsets.add(bridge, declared);
    pushHandle(L, toolset, declared);
    return 1;
  };
  new Library('PlanningTools', () => ({}), { isReplaceable: true, call: () => call }).open(bridge);
}

/** @throws TactusError source_invalid where there is no such strategy */
function readStrategy(given: JsonValue): Strategy {
  const options = given === null || (Array.isArray(given) && given.length === 0) ? {} : given;
  const names = isObject(options) ? Object.keys(options) : [];
  if (!isObject(options) || names.some((name) => name !== 'strategy'))
    throw new TactusError(
      'source_invalid',
      'PlanningTools takes a table with strategy, such as { strategy = "react" }',
    );
  const { strategy = 'react' } = options;
  const found = strategies.find((each) => each === strategy);
  if (found !== undefined) return found;
  const known = strategies.map((each) => JSON.stringify(each)).join(', ');
  throw new TactusError(
    'source_invalid',
    `PlanningTools: strategy must be one of ${known}, got ${JSON.stringify(strategy)}`,
  );
}

const descriptions: Readonly<Record<PlanChange['action'], readonly [string, string]>> = {
  setup: [
    'planning_setup_plan',
    'Create or replace the session plan with an objective and optional initial steps.',
  ],
  add: ['planning_add_step', 'Append one or more steps to the active plan.'],
  update: ['planning_update_step', "Update a step's title or status by its ID."],
};

/** The tools of a run: each is declared once, however many toolsets have it. */
const planningTools = new PerRun((bridge): ToolDeclaration[] => {
  const tool = (
    name: string,
    parts: Pick<ToolDeclaration, 'description' | 'input'>,
    act: (L: LuaState, args: JsonValue) => Generator<Step, PlanResult, unknown>,
  ): ToolDeclaration => {
    const declared = newTool(name, {
      ...parts,
      isInRun: true,
      perform: (L, args) => toldToModel(() => act(L, args)),
    });
    declaredTools.add(bridge, declared, true);
    return declared;
  };
  const changes = (Object.keys(descriptions) as PlanChange['action'][]).map((action) => {
    const [name, description] = descriptions[action];
    return tool(name, { description, input: changeFields[action] }, (L, args) =>
      applyChange(bridge, L, readChange(action, args)),
    );
  });
  const read = tool(
    'planning_read_plan',
    { description: 'Return the latest plan snapshot.', input: {} },
    function* (L) {
      yield* [];
      return readPlan(sessionAt(bridge, L).plan);
    },
  );
  return [...changes, read];
}, 'declared');

/** The result as WINK's adapters send it to a model; what is wrong is the model's to mend. */
function* toldToModel(act: () => Generator<Step, PlanResult, unknown>): Generator<Step, JsonValue, unknown> {
  try {
    const { message, plan } = yield* act();
    return `${message}\n\n${planText(plan)}`;
  } catch (error) {
    if (!hasCode(error, 'plan_invalid')) throw error;
    throw new TactusError('tool_failed', error.message);
  }
}
