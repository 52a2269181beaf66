import type { Bridge, HandleType } from '../kernel/index.js';
import { openDurableLoop } from './durable-loop-primitive.js';
import { openPlan } from './plan-primitive.js';
import { openPlanningTools } from './planning-tools-primitive.js';
import { openSession } from './session-primitive.js';

/** `Session`, `Plan`, `PlanningTools` and `DurableLoop`. */
export function openSessions(bridge: Bridge, toolset: HandleType): void {
  openSession(bridge);
  openPlan(bridge);
  openPlanningTools(bridge, toolset);
  openDurableLoop(bridge);
}
