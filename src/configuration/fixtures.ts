import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve, isAbsolute } from 'node:path';
import { getOwn, type JsonObject } from '../contract/json/json.js';
import { configInvalid, readText } from './setting-values.js';

/** Names the folder that each scenario's folder of files begins with a copy of. */
export const fixturesSetting = 'fixtures_folder';

/** A folder of fixtures, as a file of configuration names it. */
export interface FixturesSetting {
  /** Absolute. */
  folder: string;
  /** It must lie in this folder; null: anywhere. */
  within: string | null;
  /** What says it, for messages. */
  where: string;
}

/**
 * Which fixtures several files name: the last one's. In a file that holds for all procedures the path begins in the working
 * folder. In one beside a procedure, or in a folder on the way to it, it begins in that folder and stays in it: whoever writes
 * a procedure doesn't have it read anything else.
 * @throws TactusError config_invalid
 */
export function fixturesOf(
  configs: readonly { file: string; config: JsonObject }[],
  ofAll: ReadonlySet<string>,
  workingFolder: string,
): FixturesSetting | null {
  let found: FixturesSetting | null = null;
  for (const { file, config } of configs) {
    const given = getOwn(config, fixturesSetting) ?? null;
    if (given === null) continue;
    const where = `${file}: ${fixturesSetting}`;
    const own = folderOf(resolve(workingFolder, file));
    const holdsForAll = ofAll.has(file);
    const folder = resolve(holdsForAll ? workingFolder : own, readText(given, where));
    found = { folder, within: holdsForAll ? null : own, where };
  }
  return found;
}

/** The folder that a file of configuration is for. */
function folderOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === '.tactus' ? dirname(folder) : folder;
}

/**
 * The folder, as soon as it is needed.
 * @throws TactusError config_invalid where it is none, or lies where it may not
 */
export async function findFixtures(setting: FixturesSetting | null): Promise<string | null> {
  if (setting === null) return null;
  const { folder, within, where } = setting;
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw configInvalid(`${where}: there is no folder ${relativePath(folder)}`);
  if (within !== null && isOutside(await realpath(folder), await realpath(within)))
    throw configInvalid(
      `${where} must name a folder below ${relativePath(within)}; tactus.yml of the working folder may name any`,
    );
  return folder;
}

function isOutside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below.split(/[/\\]/)[0] === '..' || isAbsolute(below);
}

function relativePath(path: string): string {
  return relative(process.cwd(), path) || '.';
}
