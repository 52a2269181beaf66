import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';

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
