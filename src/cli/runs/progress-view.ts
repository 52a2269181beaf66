import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TactusRun } from '../../client/index.js';
import type { LogEntryView, RunView, Shown } from '../../contract/runs/run-view.js';
import type { Screen } from '../command.js';
import type { Session } from '../session.js';
import { toFileName } from '../../client/storage/index.js';
import { makeServerFolder, serverFolder } from '../../worker/server/index.js';

/** Shows what a run printed, logged and did since somebody last looked at it from this folder. */
export class ProgressView {
  private cursor: Cursor | null = null;

  constructor(
    private readonly session: Session,
    private readonly run: TactusRun,
    private readonly screen: Screen,
  ) {}

  /** True where there was something new. */
  async update(view: RunView): Promise<boolean> {
    if (!this.screen.showsLines) return false;
    const before = (this.cursor ??= cursorOf(view));
    if (view.checkpoints > before.log)
      for (const [number, entry] of await this.entriesFrom(before.log)) this.showEntry(view, number, entry);
    const lineCount = view.shown_from + view.printed.length + view.logs.length + view.warnings.length;
    if (lineCount > before.shown) {
      const { shown, next } = await this.run.shownFrom(before.shown, (question) =>
        this.session.ask(question),
      );
      for (const [index, line] of shown.entries()) this.showLine(view, next - shown.length + index, line);
    }
    return this.cursor !== before;
  }

  private showEntry(view: RunView, number: number, entry: LogEntryView): void {
    this.advance(view, { log: number + 1 });
    if (isStep(entry)) this.screen.note(entryText(entry, this.screen));
  }

  private showLine(view: RunView, number: number, line: Shown): void {
    this.advance(view, { shown: number + 1 });
    this.screen.shown(line);
  }

  private advance({ run_id, started_at }: RunView, to: Partial<Pick<Cursor, 'log' | 'shown'>>): void {
    this.cursor = { ...(this.cursor ?? { started_at, log: 0, shown: 0 }), ...to };
    writeCursor(run_id, this.cursor);
  }

  /** With their numbers: the server may not keep what stands before them any more. */
  private async entriesFrom(count: number): Promise<[number: number, entry: LogEntryView][]> {
    const { items, next } = await this.run.logFrom(count, (question) => this.session.ask(question));
    return items.map((entry, index) => [next - items.length + index, entry]);
  }
}

/** To read a pass takes an answer of its execution. */
const mostPasses = 10;

/** Where nothing of a run was shown from here, and it has begun again often, `log --all` has the passes before this one. */
function cursorOf({ run_id: runId, started_at: startedAt, pass }: RunView): Cursor {
  const cursor = readCursor(runId, startedAt);
  const isNew = cursor.log === 0 && cursor.shown === 0;
  return isNew && pass !== undefined && pass.number > mostPasses
    ? { ...cursor, log: pass.checkpoints, shown: pass.shown }
    : cursor;
}

/** The calls of a turn are part of it, and told with it. */
function isStep({ type, status }: LogEntryView): boolean {
  return type !== 'model_call' || status === 'failed';
}

function entryText(
  { position, name, type, status, error, duration_ms }: LogEntryView,
  { paint }: Screen,
): string {
  const mark = status === 'completed' ? paint.green('✓') : paint.red('✗');
  const time = paint.dim(
    duration_ms >= 1_000 ? `${(duration_ms / 1_000).toFixed(1)} s` : `${duration_ms} ms`,
  );
  const kind = type.replaceAll('_', ' ').replace('hitl ', '');
  return `${mark} ${paint.dim(position)} ${kind} ${shorten(name)} ${time}${error === null ? '' : ` ${paint.red(shorten(error))}`}`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** How much of a run its people have seen from this folder: whoever resumes sees each line once. */
interface Cursor {
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
