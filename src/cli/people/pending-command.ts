import { Command } from 'commander';
import type { RunIndex } from '../../read-model/run-index.js';
import { act, exitCodes, ownCommand } from '../command.js';
import {
  findPending,
  pendingFilter,
  pendingFilters,
  requestText,
  tellMissing,
  type AskedRequest,
  type FoundRequests,
  type PendingFlags,
} from './requests.js';
import { preferIndex } from '../lists/open-index.js';
import { freshenIndex, openRequests } from '../../client/index.js';
import { matchesFilter, type RequestFilter } from '../../read-model/request-filter.js';
import { withSession, type Session } from '../session.js';

const pageSize = 1_000;

/**
 * Open requests of all runs, the oldest first, without asking the runs: only those are asked that the index isn't sure of.
 * `others`: how many more there are that the filter leaves out.
 */
async function pendingFromIndex(
  session: Session,
  index: RunIndex,
  filter: RequestFilter,
): Promise<FoundRequests & { others: number }> {
  const missing = await freshenIndex(session.client, index, { ask: (runId) => session.view(runId) });
  const unheard = new Set(missing.map(({ run_id }) => run_id));
  const pending: AskedRequest[] = [];
  let found = 0;
  for (let after: string | undefined; ;) {
    const { items, next } = await index.requests({ ...filter, limit: pageSize, after });
    found += items.length;
    // What they had asked may be answered by now.
    pending.push(...items.filter(({ run_id }) => !unheard.has(run_id)));
    if (next === null) break;
    after = next;
  }
  const { requests } = await index.counts();
  return { pending, missing, others: Math.max(0, requests - found) };
}

/** What is shown of what was found, and whence it comes. */
interface WantedRequests extends FoundRequests {
  source: 'index' | 'runs';
  /** Open requests that the flags leave out. */
  others: number;
}

/** `pending [RUN]`: open human requests of all runs, or of one and the runs that it waits for. */
export function pendingCommand(): Command {
  const command = new Command('pending')
    .description('list open human requests of one run or of all')
    .argument('[run]', 'id of a run');
  return pendingFilters(command).action(
    act(async (context, flags: PendingFlags, runId: string | undefined) => {
      const now = Date.now();
      const wanted = pendingFilter(flags, now);
      return withSession(context, async (session) => {
        const { screen } = context;
        const fromIndex = async (index: RunIndex): Promise<WantedRequests> => ({
          source: 'index',
          ...(await pendingFromIndex(session, index, wanted)),
        });
        const fromRuns = async (): Promise<WantedRequests> => {
          const { pending: all, missing } = await (runId === undefined
            ? findPending(session, screen)
            : requestsOf(session, runId));
          const pending = all.filter((request) => matchesFilter(request, wanted));
          return { source: 'runs', pending, missing, others: all.length - pending.length };
        };
        const isIndexed = runId === undefined && flags.fresh !== true;
        const index = isIndexed ? await session.index() : null;
        const found = await preferIndex(index, screen, fromIndex, fromRuns);
        const { source, pending, missing, others } = found;
        tellMissing(missing, screen);
        screen.answer(
          {
            source,
            pending: pending.map((request) => documentOf(request, flags, now)),
            ...(others === 0 ? {} : { others }),
            ...(missing.length === 0 ? {} : { missing }),
          },
          () =>
            pending.length === 0
              ? nothingText(others, missing.length > 0)
              : pending.map((request) => askedText(request, now)).join('\n\n'),
        );
        if (others > 0 && pending.length > 0) screen.note(`${others} more that the flags leave out`);
        return missing.length === 0 ? exitCodes.done : exitCodes.unreachable;
      });
    }),
  );
}

/** Nothing is shown: because nothing is asked, or because the flags leave out what is. */
function nothingText(others: number, isPart: boolean): string {
  const of = isPart ? ' by the runs that answer' : '';
  if (others === 0) return `nothing is asked${of}`;
  const are = others === 1 ? '1 other request is' : `${others} other requests are`;
  return `no request matches the flags; ${are} open${of}: ${ownCommand('pending')}`;
}

function askedText(request: AskedRequest, now: number): string {
  const [first = '', ...rest] = requestText(request, { how: true }).split('\n');
  const since = `  ${request.procedure} · asked ${ageText(Date.parse(request.created_at), now)}`;
  return [first, since, ...rest].join('\n');
}

/** A request as `run --json` has it; with `--details` also whose run asks it, and since how many seconds. */
function documentOf({ procedure, ...request }: AskedRequest, { details }: PendingFlags, now: number): object {
  if (details !== true) return request;
  const age_seconds = Math.max(0, Math.floor((now - Date.parse(request.created_at)) / 1_000));
  return { ...request, procedure, age_seconds };
}

async function requestsOf(session: Session, runId: string): Promise<FoundRequests> {
  const { requests, missing } = await openRequests(await session.view(runId), (id) => session.view(id));
  return { pending: requests, missing };
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `3 h ago`, by the largest unit that fits; times in ms since 1970. */
function ageText(since: number, now: number): string {
  const age = Math.max(0, now - since);
  const [size, name] = units.find(([each]) => age >= each) ?? [1_000, 's'];
  return `${Math.floor(age / size)} ${name} ago`;
}
