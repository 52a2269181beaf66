import type { Client } from '@temporalio/client';
import { assertLimits, type Limits } from '../../contract/runs/limits.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { pluginName } from '../../contract/names.js';

export interface StartOptions {
  /** Id of the run; a run of that id that is open is attached to instead of started again. Left out: a new one. */
  runId?: string;
  /** The task of the procedure's file to run; left out: what the file runs by itself. */
  task?: string;
  limits?: Partial<Limits>;
  /** Where the procedure's file lies below the worker's directory of files, for `tactus.io`; left out: in it. */
  folder?: string;
  /** Time that the whole run may take, such as `30d`; left out: no limit. */
  timeout?: string;
  /** What configuration says of the run and of those that it starts; left out: nothing. */
  settings?: RunSettings;
  /** Who starts it, for the run's memo (`started_by`); left out: nobody is named. */
  startedBy?: string;
  /** What the run answers itself instead of asking the outside, for tests; left out: nothing. */
  mock?: MockPlan;
}

/** What a client gives to each run that it starts. */
export interface StartsWith {
  limits: Partial<Limits> | undefined;
  searchAttributes: boolean;
}

/**
 * The workflow's argument. The source stands last: pages show the beginning.
 * @throws TactusError input_invalid where a limit is one that no worker can keep
 */
export function startInputOf(
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

/** What a `TactusPlugin` says of the runs that its clients start. */
interface PluginDefaults {
  taskQueue?: string;
  limits?: Partial<Limits>;
}

/** Nothing where the client has no such plugin. */
export function pluginDefaults(client: Client): PluginDefaults {
  // Known by its name: its class would bring the worker.
  const plugin: object | undefined = client.options.plugins.find(({ name }) => name === pluginName);
  return plugin ?? {};
}
