import { checkStart } from '../client/check-start.js';
import { collectFile } from '../sources/collect-file.js';
import { describeSource } from '../client/describe-source.js';
import { TactusError } from '../contract/errors.js';
import type { JsonObject } from '../contract/json.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { ProcedureSource } from '../contract/source.js';
import { configure } from './configure.js';
import { readDuration } from './read-duration.js';
import { readInput } from './read-input.js';
import type { Screen } from './screen.js';
import type { StartFlags } from './start-options.js';

export interface ReadProcedure {
  source: ProcedureSource;
  /** Its file as it was given. */
  file: string;
  input: JsonObject;
  /** The task of it to run; undefined: what it runs by itself. */
  task: string | undefined;
  settings: RunSettings;
  /** Models of its agents; null stands for the default. */
  models: (string | null)[];
  /** The most time that the run may take, in ms; null: no limit. */
  longestMs: number | null;
}

/**
 * Reads a procedure and the input for it, and refuses what could never run, before any server is asked.
 * @throws TactusError source_not_found, source_invalid, no_procedure, input_invalid, config_invalid, usage
 */
export async function readProcedure(
  file: string,
  task: string | undefined,
  given: StartFlags,
  screen: Screen,
): Promise<ReadProcedure> {
  const longestMs = given.timeout === undefined ? null : readDuration(given.timeout, '--timeout');
  if (longestMs === 0) throw new TactusError('usage', '--timeout must be longer than 0');
  const source = await collectFile(file);
  const { settings } = await configure(file, given, screen);
  const { input: types, models } = describeSource(source, settings);
  const input = readInput(given, types);
  checkStart(source, input, { settings, task });
  return { source, file, input, task, settings, models, longestMs };
}
