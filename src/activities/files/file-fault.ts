import { Context } from '@temporalio/activity';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { hasCode, TactusError } from '../../contract/errors.js';
import { filesFolderVariable, usualFilesFolder } from '../../contract/files/data-file.js';
import { getOwn } from '../../contract/json/json.js';
import type { ActivityDeps } from '../activity-deps.js';
import { Fault } from '../retries/failures.js';
import { pathInside } from './path-inside.js';

/** What the platform's codes mean to an author. */
const reasons: Record<string, string> = {
  ENOENT: "doesn't exist",
  ENOTDIR: 'leads through something that is no directory',
  EISDIR: 'is a directory',
  EACCES: "can't be opened: permission denied",
  EPERM: "can't be opened: permission denied",
  ELOOP: 'is a link that leads nowhere, or in a circle',
  ENAMETOOLONG: 'has too long a name',
  EROFS: "can't be written: the file system is read-only",
  ENOSPC: "can't be written: no space is left",
  EDQUOT: "can't be written: no space is left of the quota",
};
/** What may be over when the next attempt comes. */
const passing = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'EIO', 'ENOSPC', 'EDQUOT']);

/**
 * A failed file operation in words: the path that was given, the reason, and the folder that the path begins in, as
 * people name it. The platform's own words name absolute paths.
 */
export function fileFault(error: unknown, path: string, folder: string, kind = 'folder of files'): unknown {
  const where = `(${kind}: ${folder})`;
  if (hasCode(error, 'file_failed'))
    return new TactusError(error.code, `${error.message} ${where}`, { ...error.details, folder });
  if (error instanceof TactusError) return error;
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  if (typeof code !== 'string') return error;
  const reason = getOwn(reasons, code) ?? `can't be used (${code})`;
  return passing.has(code)
    ? new Fault(`${reason} ${where}`, { retryable: true })
    : new TactusError(
        'file_failed',
        `${path} ${reason} ${code === 'ENOENT' ? `(${kind}: ${folder}${whereElse(folder)})` : where}`,
        { path, folder },
      );
}

/**
 * A worker's folder of files as people name it, or the folder `below` it: where the worker's working folder is, errors
 * don't tell, which go to whoever started the run, and to models.
 */
export function folderName(root: string, below: string): string {
  const path = relative(process.cwd(), root);
  const isElsewhere = path.split(/[/\\]/)[0] === '..' || isAbsolute(path);
  const name = path === '' ? "the worker's working folder" : isElsewhere ? root : path;
  return below === '' ? name : `${below} in ${name}`;
}

/** Said of a scenario's own folder. Its path differs each time, and what a run sees must not. */
export const ofScenario = "the scenario's own";

/** Said of what isn't there: until 0.9.0 the usual folder of files was the working folder, and scenarios shared it. */
function whereElse(folder: string): string {
  if (folder === ofScenario || folder.endsWith(` in ${ofScenario}`))
    return `; it begins with a copy of the folder that fixtures_folder in tactus.yml names, and with what the step Given the file "…" contains "…" says; --files DIR uses a folder as it is`;
  return folder === usualFilesFolder || folder.endsWith(` in ${usualFilesFolder}`)
    ? `; --files, files_folder or ${filesFolderVariable} names another one, and "." is the working folder`
    : '';
}

/** Where an operation on a file takes place. */
interface FilesPlace {
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
