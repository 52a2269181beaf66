import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { hasCode, TactusError } from '../contract/errors.js';
import { maxSourceBytes, maxSourcesBytes } from '../contract/runs/limits.js';
import { assertPromptsAsked, promptsFile } from '../contract/procedures/prompts.js';
import { isSkillFile, type ProcedureSource } from '../contract/procedures/source.js';
import { referencedFiles } from './referenced-files.js';

/** Folders above that of a procedure in which a file is looked for that it runs. */
const most = 5;

/** The folders above one, the nearest first. */
function foldersAbove(folder: string): string[] {
  const found: string[] = [];
  for (let at = resolve(folder); found.length < most && dirname(at) !== at;) found.push((at = dirname(at)));
  return found;
}

/**
 * Reads a procedure with all that it reaches, which `referencedFiles` tells. `entry` and
 * the names of the files are relative to `folder`, with `/` between. A procedure that isn't below the folder is looked for
 * in those above it, by the same name, and its modules where it was found. What is named but isn't there is left out: Lua
 * says so when it gets there, and it may be a built-in module.
 * @throws TactusError source_not_found where the entry is missing; source_invalid where files are too large or no text
 */
export async function collectSource(folder: string, entry: string): Promise<ProcedureSource> {
  const files = new Map<string, string>();
  let bytes = 0;

  const load = async (root: string, name: string): Promise<string | null> => {
    const text = await readSource(join(root, name), name);
    if (text === null) return null;
    bytes += Buffer.byteLength(text);
    if (bytes > maxSourcesBytes)
      throw new TactusError(
        'source_invalid',
        `${entry} and its files are larger than ${maxSourcesBytes} bytes in all`,
      );
    files.set(name, text);
    return text;
  };

  // A file can belong to several procedures, which look for its modules in folders of their own.
  const seen = new Set<string>();
  const everywhere = [folder, ...foldersAbove(folder)];
  const visit = async (names: string[], procedure: string | null, roots: string[]): Promise<boolean> => {
    for (const root of roots)
      for (const name of names) {
        const text = files.get(name) ?? (await load(root, name));
        if (text === null) continue;
        const home = folderOf(procedure ?? name);
        if (seen.has(`${home}\n${name}`)) return true;
        seen.add(`${home}\n${name}`);
        const { modules, procedures, tasks, skills } = referencedFiles(text, home);
        for (const place of skills)
          for (const file of await skillsBelow(root, place)) if (!files.has(file)) await load(root, file);
        for (const each of modules) await visit(each, procedure ?? name, [root]);
        for (const each of tasks) await visit([folderOf(name) + each], procedure ?? name, [root]);
        for (const each of procedures) {
          // First what no procedure can have written: `x` may be data that lies beside `x.tac`.
          const [sources, others] = [each.filter(isSource), each.filter((one) => !isSource(one))];
          if (!(await visit(sources, null, everywhere))) await visit(others, null, everywhere);
        }
        return true;
      }
    return false;
  };

  if (!(await visit([entry], null, [folder])))
    throw new TactusError('source_not_found', `There is no file ${entry}`, { file: entry });
  await load(folder, promptsFile(entry));
  const source = { entry, files: Object.fromEntries(files) };
  assertPromptsAsked(source);
  return source;
}

function isSource(name: string): boolean {
  return name.endsWith('.tac');
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

/** Null where there is no such file. */
async function readSource(path: string, name: string): Promise<string | null> {
  const stats = await stat(path).catch(() => null);
  if (stats === null || !stats.isFile()) return null;
  if (stats.size > maxSourceBytes)
    throw new TactusError('source_invalid', `${name} is larger than ${maxSourceBytes} bytes`, { file: name });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (!(error instanceof TypeError))
      throw new TactusError('source_not_found', `${name} can't be read`, { file: name });
    throw new TactusError('source_invalid', `${name} is not UTF-8 text`, { file: name });
  }
}

/**
 * Reads a procedure by the path of its file, which errors name as it was given.
 * @throws TactusError source_not_found, source_invalid
 */
export async function collectFile(file: string): Promise<ProcedureSource> {
  return collectSource(dirname(file), basename(file)).catch(async (error: unknown) => {
    if (hasCode(error, 'source_not_found')) throw await unreadFile(file);
    throw error;
  });
}

const deepestSkill = 5;
const mostSkills = 100;

/** The files of skills at a place: itself, or those below it, by their paths from `root`; names that begin with a dot are left out. */
async function skillsBelow(root: string, place: string): Promise<string[]> {
  const stats = await stat(join(root, place)).catch(() => null);
  if (stats === null) return [];
  if (stats.isFile()) return isSkillFile(place) ? [place] : [];
  return (await below(root, place, deepestSkill)).sort().slice(0, mostSkills);
}

async function below(root: string, folder: string, levels: number): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter(({ name }) => !name.startsWith('.'))
      .map(async (entry) => {
        const path = `${folder}/${entry.name}`;
        if (entry.isFile()) return isSkillFile(path) ? [path] : [];
        return entry.isDirectory() && levels > 0 ? below(root, path, levels - 1) : [];
      }),
  );
  return found.flat();
}

/** Why a file that was named can't be read, in words: it isn't there, is a folder, or may not be read. */
export async function unreadFile(file: string): Promise<TactusError> {
  const code = await readFile(file).then(
    () => '',
    (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error),
  );
  const reasons: Record<string, string> = {
    '': `There is no file ${file}`,
    ENOENT: `There is no file ${file}`,
    ENOTDIR: `There is no file ${file}`,
    EISDIR: `${file} is a folder: name a .tac file in it`,
    EACCES: `${file} may not be read by you (EACCES)`,
  };
  return new TactusError('source_not_found', reasons[code] ?? `${file} can't be read (${code})`, { file });
}
