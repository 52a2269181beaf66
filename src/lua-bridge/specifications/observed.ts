import { nothingObserved, type Observed } from '../../contract/specifications/scenario.js';
import type { Bridge } from '../kernel/bridge.js';
import { PerRun } from '../kernel/per-run.js';

const noticed = new PerRun(nothingObserved);

/** What tests look at; null where the run is none: what is noticed takes memory. */
export function observed(bridge: Bridge): Observed | null {
  return bridge.run.scenario === null ? null : noticed.of(bridge);
}
