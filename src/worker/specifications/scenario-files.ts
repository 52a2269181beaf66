import { constants, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readdir, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileFault, ofScenario, pathInside, refusedName } from '../../activities/index.js';

/** What a run's folder of files begins with. */
export interface FirstFiles {
  /** Folder that is copied into it; null: none. */
  fixtures: string | null;
  /** Texts of files, by their paths below it. They come after the fixtures. */
  texts: Readonly<Record<string, string>>;
}

/**
 * Folders of files for the runs of tests, each with its own, so that no test changes a file of the project, nor one that
 * another test reads. They lie in the folder for temporary files, and are removed.
 */
export class ScenarioFiles {
  readonly #folders = new Map<string, string>();
  #count = 0;
  readonly #removeAtExit = (): void => rmSync(this.base, { recursive: true, force: true });

  private constructor(
    private readonly base: string,
    /** Nothing is removed. */
    readonly keeps: boolean,
  ) {
    if (!keeps) process.on('exit', this.#removeAtExit);
  }

  /** At once: a process that is ended while the folder is made would leave it. */
  static make(keeps: boolean): ScenarioFiles {
    return new ScenarioFiles(realpathSync(mkdtempSync(join(tmpdir(), 'tactus-test-'))), keeps);
  }

  /**
   * Makes a folder for a run that begins, and for those that it starts.
   * @throws TactusError file_failed where a path leaves the folder, is one that no procedure may use, or is a folder already
   */
  async begin(runId: string, { fixtures, texts }: FirstFiles): Promise<string> {
    const folder = join(this.base, `${++this.#count}-${runId.replace(/[^\w.-]/g, '-').slice(0, 80)}`);
    await mkdir(folder);
    if (fixtures !== null) await copyFixtures(fixtures, folder, this.base);
    for (const [path, text] of Object.entries(texts)) {
      try {
        const { root, names } = await pathInside(folder, '', path);
        const place = join(root, ...names);
        await mkdir(dirname(place), { recursive: true });
        await writeFile(place, text);
      } catch (error) {
        throw fileFault(error, path, ofScenario);
      }
    }
    this.#folders.set(runId, folder);
    return folder;
  }

  /** Removes the folder of a run that has ended. What still goes on of it has another folder from then on. */
  async end(runId: string): Promise<void> {
    const folder = this.#folders.get(runId);
    this.#folders.delete(runId);
    if (folder !== undefined && !this.keeps) await rm(folder, { recursive: true, force: true });
  }

  /** The folder of a run: its own, that of the run that has started it, else one for all others. */
  of(runId: string): string {
    for (let id = runId; id !== ''; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
      const folder = this.#folders.get(id);
      if (folder !== undefined) return folder;
    }
    return join(this.base, 'others');
  }

  /** Removes all of it. */
  async remove(): Promise<void> {
    process.removeListener('exit', this.#removeAtExit);
    if (!this.keeps) await rm(this.base, { recursive: true, force: true });
  }
}

/**
 * Copies what procedures may use of a folder, with the folders in it. Links stay links, and lead nowhere else than before
 * only within the folder. What is neither file, folder nor link is left out.
 * @param leftOut a folder that is left out: the one that copies are made in, which may lie in what is copied
 */
async function copyFixtures(from: string, to: string, leftOut: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (refusedName(entry.name) !== null) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if ((await realpath(source)) !== leftOut) await copyFixtures(source, target, leftOut);
    }
    // Where the disk can share what two files have in common, nothing is copied.
    else if (entry.isFile()) await copyFile(source, target, constants.COPYFILE_FICLONE);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
  }
}
