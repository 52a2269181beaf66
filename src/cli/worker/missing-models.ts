import { join } from 'node:path';
import { collectFile } from '../../sources/collect-source.js';
import { proceduresIn } from '../../sources/find-procedure.js';
import { describeSource } from '../../client/procedures/index.js';
import { loadConfiguration } from '../../configuration/load-configuration.js';
import { TactusError, type Screen } from '../command.js';
import { checkModels } from '../../worker/worker-environment.js';

/** A worker is there soon, however much lies in its folders. In ms. */
const longestMs = 3_000;
const mostNamed = 3;

/**
 * What models of procedures need that this process lacks, each once, with the procedures that name them.
 * @param isWhole whether all procedures are looked at, however long that takes
 */
export async function missingForModels(folders: readonly string[], isWhole = false): Promise<string[]> {
  const files = folders.flatMap((folder) => proceduresIn(folder).map((file) => join(folder, file)));
  const missing = new Map<string, string[]>();
  const end = isWhole ? Number.POSITIVE_INFINITY : performance.now() + longestMs;
  for (const file of files) {
    if (performance.now() > end) break;
    for (const problem of await problemsOf(file))
      missing.set(problem, [...(missing.get(problem) ?? []), file]);
  }
  return [...missing].map(([problem, of]) => `${namesOf(of)}: ${problem}`);
}

/** Warns of it. */
export function tellMissing(missing: readonly string[], screen: Screen): void {
  for (const problem of missing)
    screen.warn(`${problem}. Without it, such calls wait for another worker of the task queue, or fail`);
}

/** A procedure that doesn't load is told to whoever starts it. */
async function problemsOf(file: string): Promise<string[]> {
  try {
    const source = await collectFile(file);
    // Whoever writes what lies beside a procedure doesn't change the environment of a worker.
    const { settings } = await loadConfiguration(file, { workingFolder: process.cwd(), env: process.env });
    const { models } = describeSource(source, settings);
    return [...new Set(models)].flatMap((model) => problemOf(model) ?? []);
  } catch {
    return [];
  }
}

function problemOf(model: string | null): string | null {
  try {
    checkModels([model], process.env);
    return null;
  } catch (error) {
    return error instanceof TactusError && error.code !== 'unknown_model' ? error.message : null;
  }
}

function namesOf(files: readonly string[]): string {
  const more = files.length - mostNamed;
  return `${files.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
