import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep, win32 } from 'node:path';
import { TactusError } from '../../contract/errors.js';

/** Where a file is, or will be. */
export interface PathInside {
  /** Real path of the folder of files. */
  root: string;
  /** The names that lead from there to the file: when they were looked at, none of those that exist was a link. */
  names: string[];
}

/**
 * The real place of `path`, which begins in `folder` of `root` and can't leave it: neither by `..`, nor absolute, nor
 * through a symbolic link. The file, and directories above it, may not exist yet.
 * @param kept what no procedure may use, by absolute paths
 * @throws TactusError file_failed naming the path as it was given: with "Path traversal" in its message where it leads
 * out, else with what it is that no procedure may use
 */
export async function pathInside(
  root: string,
  folder: string,
  path: string,
  kept: readonly string[] = [],
): Promise<PathInside> {
  if (folder !== '') assertAllowed(folder);
  assertAllowed(path);
  const realRoot = await realpath(root);
  const start = folder === '' ? realRoot : await realInside(realRoot, folder);
  const real = await realInside(start, path);
  if (kept.length > 0 && (await (await KeptPaths.of(kept)).has(real, realRoot)))
    throw refused(path, 'the worker keeps it for itself');
  return { root: realRoot, names: relative(realRoot, real).split(sep).filter(Boolean) };
}

function assertAllowed(path: string): void {
  if (path === '' || path.includes('\0'))
    throw new TactusError('file_failed', `${JSON.stringify(path)} is no path of a file`, { path });
  // Windows' way of writing paths is refused everywhere: a procedure runs the same on every worker.
  if (isAbsolute(path) || win32.isAbsolute(path) || path.split(/[/\\]/).includes('..')) throw traversal(path);
  const reason = refusedName(path);
  if (reason !== null) throw refused(path, reason);
}

async function realInside(realRoot: string, path: string): Promise<string> {
  const named = resolve(realRoot, path);
  const real = await realPathOf(named);
  const below = relative(realRoot, real);
  if (below === '..' || /^\.\.[/\\]/.test(below) || isAbsolute(below)) throw traversal(path);
  const reason = refusedName(below);
  if (reason !== null) throw refused(path, `it leads over a link to another file, and there ${reason}`);
  for (const each of new Set([named, real])) {
    if (isConfiguration(each)) throw refused(path, 'it is a file of configuration');
    if (await isBesideSource(each)) throw refused(path, 'it configures the procedure beside it');
  }
  return real;
}

/** Follows links as far as the path exists; the rest is what is to be made. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), relative(dirname(path), path));
  }
}

/** Whether it is `x.yml` beside `x.tac`. */
async function isBesideSource(path: string): Promise<boolean> {
  const name = withoutEnd(basename(path));
  const stem = name.replace(/\.ya?ml$/i, '');
  if (stem === name) return false;
  return lstat(join(dirname(path), `${stem}.tac`)).then(
    () => true,
    () => false,
  );
}

function refused(path: string, reason: string): TactusError {
  return new TactusError('file_failed', `${JSON.stringify(path)} is refused: ${reason}`, { path });
}

function traversal(path: string): TactusError {
  return new TactusError(
    'file_failed',
    `Path traversal: ${JSON.stringify(path)} leaves the folder that files are kept in`,
    { path },
  );
}

/**
 * What a worker keeps from procedures, wherever its folder of files is: the modules that it loads, the programs that it
 * starts, its keys, its records. Known by their paths, and by what they are: a hard link is the same file by another name.
 */
export class KeptPaths {
  private constructor(
    private readonly places: readonly string[],
    private readonly files: ReadonlySet<string>,
  ) {}

  /** @param paths absolute; what isn't there is kept by its path alone. A folder is kept with all that is below it */
  static async of(paths: readonly string[]): Promise<KeptPaths> {
    const files = new Set<string>();
    const places = await Promise.all(
      paths.map(async (path) => {
        const file = await fileOf(path);
        if (file !== null) files.add(file);
        return realpath(path).catch(() => path);
      }),
    );
    return new KeptPaths(places, files);
  }

  /** @param root real path of the folder of files: what it lies in isn't kept, for then nothing could be used */
  async has(path: string, root: string): Promise<boolean> {
    const isBelow = this.places.some((place) => isAtOrBelow(path, place) && !isAtOrBelow(root, place));
    if (isBelow || this.files.size === 0) return isBelow;
    const file = await fileOf(path);
    return file !== null && this.files.has(file);
  }
}

/** Two paths that lead to the same file have it in common; null for a folder, and where there is nothing. */
async function fileOf(path: string): Promise<string | null> {
  try {
    const stats = await stat(path, { bigint: true });
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : null;
  } catch {
    return null;
  }
}

/** File systems may take letters of either case for the same name. */
function isAtOrBelow(path: string, place: string): boolean {
  const below = relative(place.toLowerCase(), path.toLowerCase());
  return below.split(/[/\\]/)[0] !== '..' && !isAbsolute(below);
}

/** What a name is, where no procedure may use it, with the reason. Names are lower case, without what systems leave out. */
const refusals: readonly (readonly [(name: string) => boolean, string])[] = [
  // Whoever writes these decides what the next start does.
  [matches(/\.(tac|lua)$/), 'it is a source of procedures'],
  [matches(/\.(tac|lua)\.ya?ml$/), 'it configures a procedure'],
  [matches(/^tactus\.ya?ml$/), 'it is a file of configuration'],
  [matches(/^(?=.{1,8}(\.|$))[^.]+~\d+(\.[^.]{0,3})?$/), 'it has a short name of Windows in it'], // `GIT~1` is `.git`
  // Whoever reads these can sign and log in as their owner.
  [
    matches(/\.(pem|key|p8|p12|pfx|jks|keystore|ppk|kdbx|gpg)$|^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/),
    'it is a file of keys',
  ],
  // Whoever writes these decides what other programs run: an interpreter, a package manager, a build, a shell.
  [(name) => name === 'node_modules', 'it is a folder of packages'],
  [
    matches(
      /\.lock$|^(.*-lock|npm-shrinkwrap|package|deno|composer|[jt]sconfig(\..*)?)\.jsonc?$|\.lockb$|^go\.(mod|sum|work)$/,
    ),
    'it is a file of a package manager',
  ],
  [
    matches(
      /^(pnpm-(lock|workspace)\.ya?ml|(pyproject|cargo|poetry|uv)\.toml|setup\.cfg|pipfile|gemfile|requirements\.txt)$/,
    ),
    'it is a file of a package manager',
  ],
  [matches(/\.([cm]?[jt]sx?|py[cdowx]?|pth|rb|p[lm]|php\d?|wasm|jar|class)$/), 'it is a program'],
  [
    matches(/\.((ba|z|fi|k|c)?sh|ps[dm]?1|bat|cmd|com|exe|msi|scr|vb[es]?|ws[fh]|hta|lnk|reg|desktop)$/),
    'it is a program',
  ],
  [matches(/\.(node|dll|dylib|so(\.\d+)*)$/), 'it is a program'],
  [
    matches(
      /^((gnu)?make|docker|container|proc|just|vagrant|rake|jenkins)file(\..*)?$|^(docker-)?(compose|taskfile)(\..*)?\.ya?ml$/,
    ),
    'it says what other programs run',
  ],
];

/** The machine's and the person's configuration, wherever the folder of files is. */
const configuration = /(^|\/)tactus\/config\.ya?ml$/;
const home = /^~($|[^/\\]*[/\\])/;

function matches(pattern: RegExp): (name: string) => boolean {
  return (name) => pattern.test(name);
}

/**
 * Why no procedure may use a path, by its names alone; null where it may. A path is read as loosely as any file system,
 * or program that gets to see it, might: what is refused is refused in every spelling.
 */
export function refusedName(path: string): string | null {
  if (home.test(path)) return 'it begins with ~, which stands for a folder elsewhere';
  for (const reading of [path, percentDecoded(path)]) {
    const names = namesOf(reading);
    if (names.some((name) => name.startsWith('.'))) return 'a name in it begins with a dot';
    for (const name of names.map(withoutEnd)) {
      const found = refusals.find(([isRefused]) => isRefused(name));
      if (found !== undefined) return found[1];
    }
  }
  return null;
}
/** Whether the configuration of a machine or a person may be looked for there; told by the whole path. */
function isConfiguration(path: string): boolean {
  return configuration.test(namesOf(path).map(withoutEnd).join('/'));
}

/** Names of a path, with letters that look or count alike as one, and without the `.` that stands for the same folder. */
function namesOf(path: string): string[] {
  return path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split(/[/\\]/)
    .map((name) => name.trimStart())
    .filter((name) => name !== '.' && name !== '');
}

/** Windows leaves out dots and spaces at the end, and takes what follows a colon for a part of the same file. */
function withoutEnd(name: string): string {
  return name.replace(/:.*$/s, '').replace(/[.\s]+$/, '');
}

function percentDecoded(path: string): string {
  return path.replace(/(%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}
