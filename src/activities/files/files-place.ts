import { Context } from '@temporalio/activity';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ActivityDeps } from '../activity-deps.js';
import { fileFault, folderName, ofScenario } from './file-fault.js';
import { pathInside } from './path-inside.js';

/** Where an operation on a file takes place. */
export interface FilesPlace {
  /** The folder that can't be left. */
  root: string;
  /** The folder in it in which paths begin. */
  below: string;
  /** What people call both. */
  name: string;
}

type FilesDeps = Pick<ActivityDeps, 'filesRoot' | 'filesOf' | 'outerFolders' | 'keptPaths'>;

/** The folder of files of the run that asks, where it has one of its own. */
export function ownFiles({ filesOf }: Pick<ActivityDeps, 'filesOf'>): string | null {
  return filesOf?.(Context.current().info.workflowExecution?.workflowId ?? '') ?? null;
}

/**
 * Where a run's paths lead. A run with a folder of its own reads a file of `tactus.io` beside the procedure where the
 * folder has none of that name, and changes nothing there.
 * @param folder where paths of `tactus.io` begin; undefined for `File`
 * @param action `change`: what is there is replaced, `complete`: it is added to
 */
export async function filesPlace(
  deps: FilesDeps,
  { folder, path }: { folder?: string; path: string },
  action: 'read' | 'change' | 'complete',
): Promise<FilesPlace> {
  const isOuter = folder !== undefined && deps.outerFolders?.includes(folder) === true;
  const root = isOuter ? folder : deps.filesRoot;
  const below = isOuter ? '' : (folder ?? '');
  const real = { root, below, name: folderName(root, below) };
  const ownRoot = ownFiles(deps);
  if (ownRoot === null) return real;
  const own = { root: ownRoot, below, name: below === '' ? ofScenario : `${below} in ${ofScenario}` };
  const isBeside =
    folder !== undefined && action !== 'change' && !(await isThere(own, path)) && (await isThere(real, path));
  if (!isBeside) return own;
  if (action === 'read') return real;
  await bring(deps, { from: real, to: own, path }).catch((error: unknown) => {
    throw fileFault(error, path, own.name);
  });
  return own;
}

async function isThere({ root, below }: FilesPlace, path: string): Promise<boolean> {
  return lstat(join(root, below, path)).then(
    () => true,
    () => false,
  );
}

/** Both paths are held to the rules of all paths. A file that has come meanwhile stays. */
async function bring(
  { keptPaths }: FilesDeps,
  { from, to, path }: { from: FilesPlace; to: FilesPlace; path: string },
): Promise<void> {
  const [source, target] = [
    await pathInside(from.root, from.below, path, keptPaths),
    await pathInside(to.root, to.below, path, keptPaths),
  ];
  const place = join(target.root, ...target.names);
  await mkdir(dirname(place), { recursive: true });
  await copyFile(join(source.root, ...source.names), place, constants.COPYFILE_EXCL).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}
