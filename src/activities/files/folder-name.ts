import { isAbsolute, relative } from 'node:path';
import { filesFolderVariable, usualFilesFolder } from '../../contract/files/files-folder.js';

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
export function whereElse(folder: string): string {
  if (folder === ofScenario || folder.endsWith(` in ${ofScenario}`))
    return `; it begins with a copy of the folder that fixtures_folder in tactus.yml names, and with what the step Given the file "…" contains "…" says; --files DIR uses a folder as it is`;
  return folder === usualFilesFolder || folder.endsWith(` in ${usualFilesFolder}`)
    ? `; --files, files_folder or ${filesFolderVariable} names another one, and "." is the working folder`
    : '';
}
