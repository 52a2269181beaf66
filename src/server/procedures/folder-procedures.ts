import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { collectSource } from '../../sources/collect-source.js';
import { findProcedure, folderOf, proceduresIn } from '../../sources/find-procedure.js';
import { loadConfiguration, withModelCalls } from '../../configuration/load-configuration.js';
import type { Environment } from '../../contract/environment.js';
import { TactusError } from '../../contract/errors.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { FoundProcedure, Procedures } from '../served-namespace.js';

export interface FolderOptions {
  /** Folders that are looked through, the first that has a procedure gives it. */
  folders: readonly string[];
  /** Where configuration is looked for. */
  workingFolder: string;
  env: Environment;
  /** The worker's folder of files, where it has the procedures' own; null: a worker elsewhere has others. */
  filesRoot: string | null;
}

/** So many are listed. */
const mostListed = 1_000;

/** Procedures in folders of this machine, by their paths without `.tac`. */
export class FolderProcedures implements Procedures {
  constructor(private readonly options: FolderOptions) {}

  list(): Promise<string[]> {
    const names = this.options.folders.flatMap((folder) =>
      proceduresIn(folder).map((file) => file.replace(/\.tac$/, '')),
    );
    return Promise.resolve([...new Set(names)].sort().slice(0, mostListed));
  }

  async find(name: string): Promise<FoundProcedure> {
    const { folders, filesRoot } = this.options;
    const file = await findProcedure(folders, name);
    if (file === null)
      throw new TactusError(
        'source_not_found',
        `There is no procedure ${JSON.stringify(name)} in the folders of this server`,
      );
    const source = await collectSource(dirname(file), basename(file));
    const settings = await this.settingsOf(file);
    const folder = filesRoot === null ? null : folderOf(resolve(file), resolve(filesRoot));
    return {
      source,
      options: {
        settings,
        ...(folder === null || isAbsolute(folder) ? {} : { folder }),
      },
    };
  }

  async publishedOptions(): Promise<FoundProcedure['options']> {
    return { settings: await this.settingsOf(null) };
  }

  private async settingsOf(file: string | null): Promise<RunSettings> {
    const { workingFolder, env } = this.options;
    return withModelCalls((await loadConfiguration(file, { workingFolder, env })).settings);
  }
}
