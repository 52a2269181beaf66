import { TactusError } from '../../contract/errors.js';
import { asJson, isEmptyList, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  planProgress,
  readPlan,
  stepStatuses,
  type PlanChange,
  type PlanResult,
  type StepStatus,
} from '../../contract/sessions/plan.js';
import {
  checkValue,
  Library,
  lua,
  native,
  pushJson,
  pushText,
  toJson,
  type Bridge,
  type Fields,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { applyChange } from './plan-changes.js';
import { sessionAt } from './session-of-run.js';

/** `Plan.setup`, `add`, `update`, `read`, `current` and `progress`: the plan of the session, in WINK's words. */
export function openPlan(bridge: Bridge): void {
  plan.open(bridge);
}

const plan = new Library(
  'Plan',
  (bridge) => {
    const change = (action: PlanChange['action']): Native =>
      function* (L) {
        return pushPlan(L, yield* applyChange(bridge, L, readChange(action, toJson(L, 1))));
      };
    return {
      setup: native(bridge, change('setup')),
      add: native(bridge, change('add')),
      update: native(bridge, change('update')),
      read: (L) => bridge.scheduler.notes.guard(L, () => pushPlan(L, readPlan(sessionAt(bridge, L).plan))),
      current: (L) => {
        const { plan } = sessionAt(bridge, L);
        pushJson(L, plan === null ? null : asJson(plan));
        return 1;
      },
      progress: (L) => {
        pushText(L, planProgress(sessionAt(bridge, L).plan));
        return 1;
      },
    };
  },
  { isReplaceable: true },
);

/** The plan, and WINK's text. */
function pushPlan(L: LuaState, { plan, message }: PlanResult): number {
  lua.lua_checkstack(L, 4);
  pushJson(L, asJson(plan));
  pushText(L, message);
  return 2;
}

const texts = (description: string, required: boolean): Fields[string] => ({
  type: 'array',
  required,
  items: { type: 'string', required: true },
  description,
});

/** What each change takes, as WINK's tools do. */
export const changeFields: Readonly<Record<PlanChange['action'], Fields>> = {
  setup: {
    objective: { type: 'string', required: true, description: 'Objective the plan should accomplish.' },
    initial_steps: texts('Optional step titles to seed the plan with.', false),
  },
  add: { steps: texts('Step titles to add.', true) },
  update: {
    step_id: { type: 'integer', required: true, description: 'Identifier of the step to update.' },
    title: { type: 'string', required: false, description: 'New title for the step (optional).' },
    status: {
      type: 'string',
      required: false,
      enum: [...stepStatuses],
      description: 'New status: pending, in_progress, or done (optional).',
    },
  },
};

/** @throws TactusError plan_invalid naming the field */
export function readChange(action: PlanChange['action'], given: JsonValue): PlanChange {
  if (!isObject(given) && given !== null && !isEmptyList(given))
    throw new TactusError('plan_invalid', `Plan.${action} takes a table`);
  const fields = changeFields[action];
  const checked = checkValue({ kind: 'fields', fields }, isObject(given) ? given : {}, {
    code: 'plan_invalid',
    unknown: 'refuse',
    requireAll: true,
  }) as JsonObject;
  const list = (name: string): string[] => (checked[name] ?? []) as string[];
  switch (action) {
    case 'setup':
      return { action, objective: checked['objective'] as string, initial_steps: list('initial_steps') };
    case 'add':
      return { action, steps: list('steps') };
    case 'update':
      return {
        action,
        step_id: checked['step_id'] as number,
        title: (checked['title'] ?? null) as string | null,
        status: (checked['status'] ?? null) as StepStatus | null,
      };
  }
}
