import type { JsonValue } from '../contract/json.js';
import type { Limits } from '../contract/limits.js';
import { procedureName, sourceHash, type ProcedureSource } from '../contract/source.js';
import type { StartInput } from '../contract/start-input.js';
import type { StartOptions } from './start-options.js';

/** The workflow's argument. The source stands last: pages show the beginning. */
export function startOf(
  source: ProcedureSource,
  input: JsonValue,
  options: StartOptions,
  client: { limits: Partial<Limits> | undefined; searchAttributes: boolean },
): StartInput {
  const { task, folder, settings, mock } = options;
  return {
    input,
    ...(task === undefined ? {} : { task }),
    ...(folder === undefined ? {} : { folder }),
    ...((options.limits ?? client.limits) && { limits: { ...client.limits, ...options.limits } }),
    ...(settings === undefined ? {} : { settings }),
    ...(mock === undefined ? {} : { mock }),
    ...(client.searchAttributes ? { searchAttributes: true } : {}),
    source,
  };
}

/** What lists of workflows show without asking a worker. */
export function memoOf(source: ProcedureSource, task: string | undefined): Record<string, string> {
  return {
    procedure: procedureName(source),
    source: `sha256:${sourceHash(source)}`,
    ...(task === undefined ? {} : { task }),
  };
}
