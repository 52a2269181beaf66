import { comparePositions } from '../../contract/checkpoints/checkpoint.js';
import { hasCode } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import type { LogEntryView, LogPage, PassView, Shown, ShownPage } from '../../contract/runs/run-view.js';
import { readToEnd } from '../../log/pages.js';

/** Bounds how long an answer to a question takes. */
export type Bounded = <T>(question: () => Promise<T>) => Promise<T>;

/** What is read here of a run. */
interface ReadableRun<R> {
  readonly runId: string;
  log(): Promise<LogPage>;
  logPage(from: number): Promise<LogPage>;
  shown(from: number): Promise<ShownPage>;
  /** The run as one of its executions has it. */
  inExecution(execution: string): R;
}

const unbounded: Bounded = (question) => question();

/**
 * Reads something of executions before the one that a run is in, the oldest first, as far as the server keeps them: of passes, and
 * of parts of the log that snapshots stand for.
 * @param of what was read of this execution
 * @param isWanted whether something of what stands before is wanted
 * @param read `until`: what follows has the rest, though this execution may have some of it as well
 */
export async function passesBefore<
  R extends Pick<ReadableRun<R>, 'inExecution'>,
  T extends { pass?: PassView },
>(
  run: R,
  of: { pass?: PassView },
  isWanted: (pass: PassView) => boolean,
  read: (earlier: R, until: PassView) => Promise<T>,
): Promise<T[]> {
  const found: T[] = [];
  for (let { pass } = of; pass?.execution !== undefined && isWanted(pass);) {
    try {
      const part = await read(run.inExecution(pass.execution), pass);
      found.unshift(part);
      ({ pass } = part);
    } catch (error) {
      // The server keeps closed executions for some days.
      if (!hasCode(error, 'run_not_found')) throw error;
      break;
    }
  }
  return found;
}

/** Of a list whose first item has a number, those before another number. */
export function upTo<T>(items: readonly T[], first: number | undefined, end: number): T[] {
  return items.slice(0, Math.max(0, end - (first ?? 0)));
}

/** The log of all passes. */
export async function logOfPasses<R extends ReadableRun<R>>(run: R): Promise<LogPage> {
  const log = await run.log();
  const before = await passesBefore(
    run,
    log,
    () => true,
    async (earlier, until) => {
      const part = await earlier.log();
      return { ...part, execution_log: upTo(part.execution_log, part.pass?.checkpoints, until.checkpoints) };
    },
  );
  return { ...log, execution_log: [...before, log].flatMap(({ execution_log: entries }) => entries) };
}

/** Entries of the log from a number on, of all passes, and the number to go on from. */
export async function logFrom<R extends ReadableRun<R>>(
  run: R,
  from: number,
  bounded: Bounded = unbounded,
): Promise<{ first: LogPage; items: LogEntryView[]; next: number }> {
  const { first, items } = await entriesOfPass(run, from, bounded);
  const next = Math.max(from, first.pass?.checkpoints ?? 0) + items.length;
  const before = await passesBefore(
    run,
    first,
    ({ checkpoints }) => checkpoints > from,
    async (earlier, { checkpoints }) => {
      const { first: page, items: found } = await entriesOfPass(earlier, from, bounded);
      const number = Math.max(from, page.pass?.checkpoints ?? 0);
      return { ...defined({ pass: page.pass }), items: upTo(found, number, checkpoints) };
    },
  );
  return { first, items: [...before.flatMap((part) => part.items), ...items], next };
}

/** Entries of the log of one pass from a number on, and the first of the answers that they came in. */
export function entriesOfPass(
  run: Pick<ReadableRun<unknown>, 'logPage'>,
  from: number,
  bounded: Bounded = unbounded,
): Promise<{ first: LogPage; items: LogEntryView[] }> {
  return readToEnd(
    from,
    (next) => bounded(() => run.logPage(next)),
    ({ execution_log: items, next }) => ({ items, next }),
  );
}

/**
 * What the log has of a request that was answered, in whatever pass it was asked; null where it has nothing, or isn't kept any
 * more. Positions go on from pass to pass, so no pass before that one is read.
 */
export async function answeredRequest<R extends ReadableRun<R>>(
  run: R,
  id: string,
  bounded: Bounded = unbounded,
): Promise<LogEntryView | null> {
  if (!id.startsWith(`${run.runId}/`)) return null;
  const position = id.slice(run.runId.length + 1);
  const { first, items } = await entriesOfPass(run, 0, bounded);
  let entries = items;
  const isAnswer = ({ type, position: at }: LogEntryView): boolean =>
    type.startsWith('hitl_') && at === position;
  const isEarlier = (): boolean => {
    const [oldest] = entries;
    if (oldest === undefined) return true;
    return !entries.some(isAnswer) && comparePositions(position, oldest.position) < 0;
  };
  await passesBefore(run, first, isEarlier, async (earlier) => {
    const part = await entriesOfPass(earlier, 0, bounded);
    entries = part.items;
    return defined({ pass: part.first.pass });
  });
  return entries.find(isAnswer) ?? null;
}

/** Lines from a number on, of all passes, and the number to go on from. */
export async function shownFrom<R extends ReadableRun<R>>(
  run: R,
  from: number,
  bounded: Bounded = unbounded,
): Promise<ShownPage> {
  const page = await shownInPass(run, from, bounded);
  const before = await passesBefore(
    run,
    page,
    ({ shown }) => shown > from,
    async (earlier, until) => {
      const part = await shownInPass(earlier, from, bounded);
      return { ...part, shown: upTo(part.shown, Math.max(from, part.pass?.shown ?? 0), until.shown) };
    },
  );
  return { ...page, shown: [...before, page].flatMap(({ shown }) => shown) };
}

async function shownInPass(
  run: Pick<ReadableRun<unknown>, 'shown'>,
  from: number,
  bounded: Bounded,
): Promise<ShownPage> {
  const shown: Shown[] = [];
  for (let next = from; ;) {
    const page = await bounded(() => run.shown(next));
    if (page.shown.length === 0) return { ...page, shown };
    for (const line of page.shown) shown.push(line);
    ({ next } = page);
  }
}
