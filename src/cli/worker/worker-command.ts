import { dirname, relative } from 'node:path';
import type { FilesFolder } from '../files/files-folder.js';
import { flagsText, programHere } from '../terminal/own-command.js';

/** What `Session` knows of where a worker is to be. */
interface Served {
  /** The embedded server; null where another one was named. */
  embedded: object | null;
  target: { address: string; namespace: string; taskQueue: string };
  files?: FilesFolder;
}

/** The command that starts a worker for the runs of this one: with its server, its files, and the folder of its procedure. */
export function workerCommand({ embedded, target, files }: Served, procedure?: string): string {
  const { address, namespace, taskQueue } = target;
  const folder = procedure === undefined ? '' : relative(process.cwd(), dirname(procedure));
  const flags = flagsText({
    '--address': embedded === null ? address : undefined,
    '--namespace': embedded === null ? namespace : undefined,
    '--task-queue': embedded === null ? taskQueue : undefined,
    '--procedures': folder === '' ? undefined : folder,
    '--files': files?.isNamed === true ? relative(process.cwd(), files.path) || '.' : undefined,
  });
  return `${programHere()} worker${flags}`;
}
