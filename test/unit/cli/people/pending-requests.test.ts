import { expect, it } from 'vitest';
import { findPending } from '../../../../src/cli/people/requests.js';
import { openRequests } from '../../../../src/client/people/open-requests.js';
import type { Screen } from '../../../../src/cli/terminal/screen.js';
import type { Session } from '../../../../src/cli/session.js';
import type { Stuck } from '../../../../src/client/health/trouble.js';
import type { RunReport } from '../../../../src/client/runs/view-run.js';
import { TactusError } from '../../../../src/contract/errors.js';

const fault: Stuck = { since: 'then', attempt: 4, cause: 'unhandled', message: 'bad' };
const absent = new TactusError('no_worker', 'No worker answers');

/** A run that asks one thing, and waits for some others. */
function report(run_id: string, runs: string[] = [], stuck: Stuck | null = null): RunReport {
  const request = { id: `${run_id}/0`, run_id, position: '0', created_at: run_id };
  const pending = stuck === null ? [request] : [];
  return {
    run_id,
    pending,
    waits: [{ runs }],
    children: [],
    closed_at: null,
    stuck,
    retrying: [],
  } as unknown as RunReport;
}

function sessionOf(runs: Record<string, RunReport | Error>): { session: Session; asked: string[] } {
  const asked: string[] = [];
  const view = (id: string): Promise<RunReport> => {
    asked.push(id);
    const run = runs[id] ?? new TactusError('run_not_found', `There is no run ${id}`);
    return run instanceof Error ? Promise.reject(run) : Promise.resolve(run);
  };
  // Runs of one stretch of time.
  const pages = [Object.keys(runs).map((workflowId) => ({ execution: { workflowId } }))];
  const workflowService = {
    listWorkflowExecutions: () => Promise.resolve({ executions: pages.shift() ?? [] }),
  };
  const withDeadline = <T>(_deadline: number, ask: () => Promise<T>): Promise<T> => ask();
  const client = { options: { namespace: 'default' }, workflowService, withDeadline };
  return { session: { view, client } as unknown as Session, asked };
}

it('finds requests of runs that wait for each other, each once', async () => {
  const runs = { a: report('a', ['b', 'c']), b: report('b', ['a', 'c']), c: report('c', ['c', 'b']) };
  const { session, asked } = sessionOf(runs);
  const { requests, missing } = await openRequests(runs.a, (id) => session.view(id));
  expect(requests.map(({ id }) => id)).toEqual(['a/0', 'b/0', 'c/0']);
  expect(missing).toEqual([]);
  expect(asked.sort()).toEqual(['b', 'c']);
});

it('names runs below that could not be asked, but none that is just starting', async () => {
  const top = report('a', ['b', 'c', 'd']);
  const { session } = sessionOf({ b: absent, c: report('c', [], fault) });
  expect(await openRequests(top, (id) => session.view(id))).toMatchObject({
    requests: [{ id: 'a/0' }],
    missing: [
      { run_id: 'b', reason: 'No worker answers' },
      { run_id: 'c', reason: expect.stringContaining('on attempt 4: bad') as string },
    ],
    stuck: new Map([['c', fault]]),
    retrying: [],
  });
});

const screen = { warn: () => undefined } as unknown as Screen;

it('finds the requests of all runs, and names those that it could not ask', async () => {
  const broken = new TactusError('internal', "can't replay");
  const { session } = sessionOf({ a: report('a'), b: broken, c: report('c', [], fault) });
  expect(await findPending(session, screen)).toMatchObject({
    pending: [{ id: 'a/0' }],
    missing: [
      { run_id: 'b', reason: "can't replay" },
      { run_id: 'c', reason: expect.stringContaining('bad') as string },
    ],
  });
});

it('does not wait for the silence of all where nobody answers for the first', async () => {
  const ids = Array.from({ length: 12 }, (_, i) => `r${i}`);
  const { session, asked } = sessionOf(Object.fromEntries(ids.map((id) => [id, absent])));
  const { missing } = await findPending(session, screen);
  expect(missing.map(({ run_id }) => run_id)).toEqual(ids);
  expect(asked).toHaveLength(5);
});
