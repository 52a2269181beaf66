import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toFileName } from '../../client/storage/file-name.js';
import { makeServerFolder, serverFolder } from '../../worker/server/embedded-server/server-folder.js';

/** How much of a run its people have seen from this folder: whoever resumes sees each line once. */
export interface Cursor {
  /** When the run started: an id may be used again on another server. */
  started_at: string;
  /** Printed and logged lines, and warnings. */
  shown: number;
  /** Checkpoints. */
  log: number;
}

/** The cursor of a run; at the beginning where nothing of it was shown. */
export function readCursor(runId: string, startedAt: string): Cursor {
  try {
    const cursor = JSON.parse(readFileSync(placeOf(runId), 'utf8')) as Cursor;
    if (cursor.started_at === startedAt) return cursor;
  } catch {
    // None yet, or none that can be read: then lines are shown again rather than never.
  }
  return { started_at: startedAt, shown: 0, log: 0 };
}

/**
 * To be called just before each line is shown: a kill at any moment never makes anybody read a line twice. The one that
 * a kill in between keeps from the screen is in `status` and in the JSON, with all others.
 */
export function writeCursor(runId: string, cursor: Cursor): void {
  const place = placeOf(runId);
  makeServerFolder(serverFolder(process.cwd()));
  mkdirSync(dirname(place), { recursive: true });
  const draft = `${place}.${process.pid}`;
  try {
    writeFileSync(draft, JSON.stringify(cursor));
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    if (!isFull(error)) throw error;
    // Lines are shown again rather than never: what the run says matters more than how often.
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

function placeOf(runId: string): string {
  return join(serverFolder(process.cwd()).folder, 'cursors', toFileName(runId));
}
