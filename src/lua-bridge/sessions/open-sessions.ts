import type { Bridge, HandleType } from '../kernel/index.js';
import { openPlan } from './plan-primitive.js';
import { openPlanningTools } from './planning-tools-primitive.js';
import { openSession } from './session-primitive.js';

/** `Session`, `Plan` and `PlanningTools`. */
export function openSessions(bridge: Bridge, toolset: HandleType): void {
  openSession(bridge);
  openPlan(bridge);
  openPlanningTools(bridge, toolset);
}
