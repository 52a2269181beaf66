import type { RunSettings } from '../contract/runs/run-settings.js';

/** More calls of models than most runs ever make. Beyond it a person is asked whether the run is to go on. */
export const usualModelCalls = 1_000;

/** Settings of a run that is started, with what holds where no configuration says anything else. */
export function withModelCalls(settings: RunSettings): RunSettings {
  return { modelCalls: usualModelCalls, ...settings };
}
