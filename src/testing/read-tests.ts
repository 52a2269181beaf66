import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { collectFile } from '../client/collect-file.js';
import { TactusError } from '../contract/errors.js';
import { getOwn } from '../contract/json.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { ProcedureSource } from '../contract/source.js';
import type { DeclaredTests } from '../lua-bridge/index.js';
import { describeTests } from './describe-tests.js';
import { readFeature, type Scenario } from './feature.js';

/** A procedure's file with the scenarios of its Specifications. */
export interface TestFile {
  file: string;
  source: ProcedureSource;
  /** What configuration says of it. */
  settings: RunSettings;
  declared: DeclaredTests;
  scenarios: Scenario[];
}

/**
 * Reads a file and its Specifications, with those that it takes from feature files beside it.
 * @throws TactusError source_not_found, source_invalid with file and line
 */
export async function readTests(file: string, settings: RunSettings = {}): Promise<TestFile> {
  const source = await collectFile(file);
  const declared = describeTests(source);
  const scenarios: Scenario[] = [];
  for (const { text, from, line } of declared.specifications) {
    if (text !== null) {
      scenarios.push(...readFeature(text, source.entry, firstLine(source, text) ?? line ?? 1));
      continue;
    }
    const name = from ?? '';
    const feature = await readFile(join(dirname(file), name), 'utf8').catch(() => null);
    if (feature === null)
      throw new TactusError('source_not_found', `${source.entry}:${line ?? 1}: there is no file ${name}`, {
        file: source.entry,
        ...(line === null ? {} : { line }),
      });
    scenarios.push(...readFeature(feature, name, 1));
  }
  return { file, source, settings, declared, scenarios };
}

/** Where a long string begins: the call that it stands in may begin a line before. */
function firstLine({ entry, files }: ProcedureSource, text: string): number | null {
  const before = getOwn(files, entry)?.split(text, 1)[0];
  return before === undefined || before === getOwn(files, entry) ? null : before.split('\n').length;
}
