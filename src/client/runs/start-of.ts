import type { JsonValue } from '../../contract/json/json.js';
import { assertLimits, type Limits } from '../../contract/runs/limits.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import type { StartOptions } from '../start-options.js';

/** What a client gives to each run that it starts. */
export interface StartsWith {
  limits: Partial<Limits> | undefined;
  searchAttributes: boolean;
}

/**
 * The workflow's argument. The source stands last: pages show the beginning.
 * @throws TactusError input_invalid where a limit is one that no worker can keep
 */
export function startOf(
  source: ProcedureSource,
  input: JsonValue,
  options: StartOptions,
  client: StartsWith,
): StartInput {
  const { task, folder, settings, mock } = options;
  const limits = (options.limits ?? client.limits) ? { ...client.limits, ...options.limits } : undefined;
  assertLimits(limits);
  return {
    input,
    ...(task === undefined ? {} : { task }),
    ...(folder === undefined ? {} : { folder }),
    ...(limits === undefined ? {} : { limits }),
    ...(settings === undefined ? {} : { settings }),
    ...(mock === undefined ? {} : { mock }),
    ...(client.searchAttributes ? { searchAttributes: true } : {}),
    source,
  };
}
