import { topIndex } from '../../contract/checkpoints/checkpoint.js';
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
 * Reads something of the passes before the one that a run is in, the oldest first, as far as the server keeps their executions.
 * @param of what was read of this pass
 * @param isWanted whether something of the passes before one is wanted
 */
export async function passesBefore<
  R extends Pick<ReadableRun<R>, 'inExecution'>,
  T extends { pass?: PassView },
>(
  run: R,
  of: { pass?: PassView },
  isWanted: (pass: PassView) => boolean,
  read: (earlier: R) => Promise<T>,
): Promise<T[]> {
  const found: T[] = [];
  for (let { pass } = of; pass?.execution !== undefined && isWanted(pass);) {
    try {
      const part = await read(run.inExecution(pass.execution));
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

/** The log of all passes. */
export async function logOfPasses<R extends ReadableRun<R>>(run: R): Promise<LogPage> {
  const log = await run.log();
  const before = await passesBefore(
    run,
    log,
    () => true,
    (earlier) => earlier.log(),
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
    async (earlier) => {
      const part = await entriesOfPass(earlier, from, bounded);
      return { ...defined({ pass: part.first.pass }), items: part.items };
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
  const isEarlier = (): boolean => {
    const [oldest] = entries;
    return oldest === undefined || topIndex(position) < topIndex(oldest.position);
  };
  await passesBefore(run, first, isEarlier, async (earlier) => {
    const part = await entriesOfPass(earlier, 0, bounded);
    entries = part.items;
    return defined({ pass: part.first.pass });
  });
  const isAnswer = ({ type, position: at }: LogEntryView): boolean =>
    type.startsWith('hitl_') && at === position;
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
    (earlier) => shownInPass(earlier, from, bounded),
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
