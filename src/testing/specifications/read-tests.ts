import { dirname } from 'node:path';
import { collectFile } from '../../sources/collect-source.js';
import { TactusError } from '../../contract/errors.js';
import { findFixtures } from '../../configuration/fixtures.js';
import type { Configuration } from '../../configuration/load-configuration.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { DeclaredTests } from '../../lua-bridge/index.js';
import { describeTests, specifiedTexts } from './declared-tests.js';
import { readFeature, type Scenario } from './feature.js';

/** A procedure's file with the scenarios of its Specifications. */
export interface TestFile {
  file: string;
  source: ProcedureSource;
  /** What configuration says of it. */
  settings: RunSettings;
  /** Folder that the folder of files of each run begins with a copy of; null: none. */
  fixtures: string | null;
  declared: DeclaredTests;
  scenarios: Scenario[];
}

/**
 * Reads a file and its Specifications, with those that it takes from feature files beside it.
 * @throws TactusError source_not_found, source_invalid with file and line; config_invalid where its fixtures are no folder
 */
export async function readTests(
  file: string,
  { settings, fixtures }: Pick<Configuration, 'settings' | 'fixtures'>,
): Promise<TestFile> {
  const source = await collectFile(file);
  const declared = describeTests(source);
  const specified = await specifiedTexts(dirname(file), source, declared);
  const scenarios = specified.flatMap(({ text, file: name, firstLine, callLine }) => {
    if (text !== null) return readFeature(text, name, firstLine ?? callLine);
    throw new TactusError('source_not_found', `${source.entry}:${callLine}: there is no file ${name}`, {
      file: source.entry,
      line: callLine,
    });
  });
  return { file, source, settings, fixtures: await findFixtures(fixtures), declared, scenarios };
}
