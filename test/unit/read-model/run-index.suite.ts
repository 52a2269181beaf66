import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexChange, RunIndex } from '../../../src/read-model/run-index.js';
import { seededRandom } from '../../support/seeded-random.js';
import { aRequest, aServerRun, aToldRun } from '../../support/told-run.js';
import { lastAnswersSuite } from './last-answers.suite.js';

type Told = Extract<IndexChange, { kind: 'told' }>['run'];

const told = (run: Told): IndexChange => ({ kind: 'told', run });
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** What every index does. `open` gives one more connection to the same, `fresh` the first to an empty one. */
export function runIndexSuite(
  name: string,
  fresh: () => Promise<RunIndex>,
  open: () => Promise<RunIndex>,
): void {
  describe(name, () => {
    let index: RunIndex;
    beforeEach(async () => {
      index = await fresh();
    });
    afterEach(() => index.close());

    const asked = async (filter: object = {}): Promise<string[]> =>
      (await index.requests({ limit: 100, ...filter })).items.map(({ id }) => id);
    const listed = async (filter: object = {}): Promise<string[]> =>
      (await index.runs({ limit: 100, ...filter })).items.map(({ run_id }) => run_id);
    const statusOf = async (runId: string): Promise<string | undefined> =>
      (await index.find([runId]))[0]?.status;

    it('gives back what was told, whole', async () => {
      const request = aRequest('r', '0', { context: { a: ["'", '"', '\\', '?', '$1', 'é😀'] } });
      const run = aToldRun('r', 3, {
        ...{ pending: [request], error: { code: 'lua_error', message: '?' } as never },
        ...{ waits: [{ position: '0', kind: 'human', name: 'Sure?', since: at(0) }], children: ['r/1'] },
      });
      await index.write([told(run)]);
      const { version, pending: _, ...rest } = run;
      const { execution, length } = version ?? {};
      expect(await index.find(['r', 'none'])).toEqual([{ ...rest, execution, length, isFinal: false }]);
      expect((await index.requests({ limit: 1 })).items).toEqual([{ ...request, procedure: 'ask' }]);
      expect(await index.counts()).toEqual({ runs: 1, requests: 1, byStatus: { waiting_for_human: 1 } });
    });

    lastAnswersSuite(() => index);

    it('counts what is open by procedure, and requests by who may decide and age', async () => {
      const asking = [
        aRequest('r', '0', { approvers: ['group:a', 'ann'], created_at: at(0) }),
        aRequest('r', '1', { approvers: ['group:a', 'ann'], created_at: at(50) }),
        aRequest('r', '2', { created_at: at(90) }),
      ];
      await index.write([told(aToldRun('r', 3, { pending: asking }))]);
      await index.write([told(aToldRun('s', 3, { pending: [] }))]);
      const { runs, requests } = await index.openCounts([at(80), at(40)]);
      expect(runs.reduce((sum, { count }) => sum + count, 0)).toBe(2);
      expect(requests).toEqual([
        { approvers: ['group:a', 'ann'], counts: [0, 1, 1], oldestAt: at(0) },
        { approvers: [], counts: [1, 0, 0], oldestAt: at(90) },
      ]);
    });

    it('keeps the newest of what is told in any order, any number of times, and its requests with it', async () => {
      const random = seededRandom(7);
      const states = Array.from({ length: 12 }, (_, n) =>
        aToldRun('r', 3 + Math.floor(n / 3), {
          version: { execution: 'e1', began: 1_000, length: 3 + Math.floor(n / 3), step: n % 3 },
          checkpoints: n,
          pending: [aRequest('r', String(n)), aRequest('r', String(n + 1))],
        }),
      );
      let newest = -1;
      for (let i = 0; i < 60; i++) {
        const n = Math.floor(random() * states.length);
        newest = Math.max(newest, n);
        await index.write([told(states[n] as Told)]);
        expect((await index.find(['r']))[0]?.checkpoints).toBe(newest);
        expect(await asked()).toEqual([`r/${newest}`, `r/${newest + 1}`]);
      }
    });

    it('takes a later execution for newer, however short its history', async () => {
      const later = { version: { execution: 'e2', began: 2_000, length: 3, step: 0 }, checkpoints: 9 };
      await index.write([told(aToldRun('r', 900)), told(aToldRun('s', 3, later))]);
      await index.write([told(aToldRun('r', 3, later)), told(aToldRun('s', 900))]);
      for (const runId of ['r', 's']) expect((await index.find([runId]))[0]?.checkpoints).toBe(9);
    });

    it('keeps what a run asks where it tells that as unchanged', async () => {
      await index.write([told(aToldRun('r', 3, { pending: [aRequest('r', '0')] }))]);
      await index.write([told(aToldRun('r', 5, { pending: null, status: 'running' }))]);
      expect([await statusOf('r'), await asked()]).toEqual(['running', ['r/0']]);
      await index.write([told(aToldRun('r', 4, { pending: null, status: 'paused' }))]);
      expect(await statusOf('r')).toBe('running');
    });

    it('is unsure of a run whose requests it has lost, until it is told them', async () => {
      await index.write([told(aToldRun('r', 5, { pending: null }))]);
      expect(await index.unsure(new Date(0))).toEqual(['r']);
      await index.write([told(aToldRun('r', 5, { pending: [aRequest('r', '0')] }))]);
      expect([await index.unsure(new Date(0)), await asked()]).toEqual([[], ['r/0']]);
    });

    it('replaces a request whose words have changed under the same id', async () => {
      await index.write([told(aToldRun('r', 3, { pending: [aRequest('r', '0')] }))]);
      const other = aRequest('r', '0', { message: 'Really?', digest: 'other' });
      await index.write([told(aToldRun('r', 4, { pending: [other] }))]);
      expect((await index.requests({ limit: 9 })).items).toMatchObject([{ message: 'Really?' }]);
    });

    it('follows an open request through votes, and to whoever is asked next', async () => {
      const asking = (length: number, change: object): IndexChange =>
        told(aToldRun('r', length, { pending: [aRequest('r', '0', { approvers: ['ann'], ...change })] }));
      await index.write([asking(3, {})]);
      const votes = [{ by: 'ann', value: true, comment: null, at: at(1) }];
      const approvers = ['ann', 'bob'];
      await index.write([asking(4, { votes, approvers })]);
      expect((await index.requests({ limit: 9 })).items).toMatchObject([{ votes, approvers }]);
      expect(await asked({ approver: 'bob' })).toEqual(['r/0']);
      await index.write([asking(5, { approvers: ['eve'] })]);
      expect([await asked({ approver: 'bob' }), await asked({ approver: 'eve' })]).toEqual([[], ['r/0']]);
    });

    it("holds the server's word on an end for the last", async () => {
      const closed = aServerRun('r', { status: 'terminated', closed_at: at(9) });
      await index.write([told(aToldRun('r', 3, { pending: [aRequest('r', '0')] }))]);
      await index.write([{ kind: 'closed', run: { ...closed, error: null } }]);
      await index.write([told(aToldRun('r', 9, { pending: [aRequest('r', '1')] }))]);
      await index.write([told(aToldRun('r', 10, { pending: null }))]);
      expect(await index.find(['r'])).toMatchObject([
        { status: 'terminated', closed_at: at(9), isFinal: true },
      ]);
      // It may have come further than it had told.
      expect((await index.find(['r']))[0]).not.toHaveProperty('checkpoints');
      expect(await asked()).toEqual([]);
      await index.forget(['r']);
      await index.write([told(aToldRun('r', 4))]);
      expect(await statusOf('r')).toBe('waiting_for_human');
    });

    it('finds runs by their labels, and keeps what a run was started with whatever becomes of it', async () => {
      const published = { name: 'ask', version: 3, share: 100 };
      const labels = { team: 'crm', note: "50 % of 'all'" };
      await index.write([told(aToldRun('r', 3, { labels, published })), told(aToldRun('s', 3))]);
      await index.write([told(aToldRun('t', 3, { labels: { team: 'crm2', a: 'team=crm' } }))]);
      const terminated = aServerRun('r', { status: 'terminated', closed_at: at(9) });
      await index.write([{ kind: 'closed', run: { ...terminated, error: null } }]);
      const [run] = await index.find(['r']);
      expect(run).toMatchObject({ status: 'terminated', labels, published });
      expect(await listed({ labels: { team: 'crm' } })).toEqual(['r']);
      expect(await listed({ labels })).toEqual(['r']);
      expect(await listed({ labels: { ...labels, other: 'x' } })).toEqual([]);
      expect((await index.counts({ labels: { team: 'crm' } })).runs).toBe(1);
      // The list of the server knows them before the run tells of itself, and after it was changed.
      await index.write([{ kind: 'listed', run: aServerRun('u', { labels: { team: 'ops' } }) }]);
      expect(await listed({ labels: { team: 'ops' } })).toEqual(['u']);
      await index.write([told(aToldRun('u', 3, { labels: { team: 'crm' } }))]);
      expect(await listed({ labels: { team: 'crm' } })).toEqual(['u', 'r']);
    });

    it('finds the forks of a run, whoever told of them first, and whatever becomes of them', async () => {
      const fork = { forked_from: { run_id: 'r', at: '4.0.2' } };
      await index.write([told(aToldRun('r', 3)), told(aToldRun('f', 3, fork))]);
      await index.write([{ kind: 'listed', run: aServerRun('g', fork) }]);
      expect(await listed({ forkedFrom: 'r' })).toEqual(['g', 'f']);
      expect(await index.find(['f'])).toMatchObject([fork]);
      await index.write([told(aToldRun('g', 4, fork))]);
      const terminated = aServerRun('f', { status: 'terminated', closed_at: at(9) });
      await index.write([{ kind: 'closed', run: { ...terminated, error: null } }]);
      expect(await listed({ forkedFrom: 'r' })).toEqual(['g', 'f']);
      expect(await listed({ forkedFrom: 'f' })).toEqual([]);
      expect((await index.counts({ forkedFrom: 'r' })).runs).toBe(2);
    });

    it('has the last word of a run, whether it comes before or after that of the server', async () => {
      const last = told(aToldRun('r', 9, { status: 'completed', closed_at: at(8) }));
      const closed: IndexChange = {
        kind: 'closed',
        run: { ...aServerRun('r', { status: 'completed', closed_at: at(9) }), error: null },
      };
      for (const changes of [
        [last, closed],
        [closed, last],
      ]) {
        await index.write([told(aToldRun('r', 3))]);
        for (const change of changes) await index.write([change]);
        expect(await index.find(['r'])).toMatchObject([{ checkpoints: 9, closed_at: at(9), isFinal: true }]);
        await index.forget(['r']);
      }
    });

    it('knows of a run from the list until it tells of itself', async () => {
      await index.write([{ kind: 'listed', run: aServerRun('r') }]);
      expect(await index.unsure(new Date(0))).toEqual(['r']);
      await index.write([told(aToldRun('r', 3, { pending: [aRequest('r', '0')] }))]);
      await index.write([{ kind: 'listed', run: aServerRun('r') }]);
      expect([await statusOf('r'), await index.unsure(new Date(0))]).toEqual(['waiting_for_human', []]);
    });

    it('is unsure of what is past its deadline', async () => {
      const pending = [aRequest('r', '0', { deadline: at(5) }), aRequest('r', '1')];
      await index.write([told(aToldRun('r', 3, { pending }))]);
      expect(await index.unsure(new Date(at(4)))).toEqual([]);
      expect(await index.unsure(new Date(at(5)))).toEqual(['r']);
    });

    it('lists runs by status, procedure and beginning of their ids, the newest first', async () => {
      const runs = ['a-1', 'A-2', 'a_3', 'b-1'].map((id, i) =>
        told(
          aToldRun(id, 3, {
            ...{ started_at: at(i), procedure: i % 2 === 0 ? 'even' : 'odd' },
            status: id === 'b-1' ? 'completed' : 'running',
          }),
        ),
      );
      await index.write(runs);
      expect(await listed()).toEqual(['b-1', 'a_3', 'A-2', 'a-1']);
      expect(await listed({ prefix: 'a' })).toEqual(['a_3', 'a-1']);
      expect(await listed({ prefix: 'a_' })).toEqual(['a_3']);
      expect(await listed({ status: 'completed' })).toEqual(['b-1']);
      expect(await listed({ procedure: 'odd', prefix: 'b' })).toEqual(['b-1']);
      expect(await index.counts({ since: at(1) })).toMatchObject({
        runs: 3,
        byStatus: { running: 2, completed: 1 },
      });
      await index.write([
        { kind: 'closed', run: { ...aServerRun('b-1', { closed_at: at(9) }), error: null } },
      ]);
      expect(await listed({ isOpen: true })).toEqual(['a_3', 'A-2', 'a-1']);
      expect(await index.counts({ procedure: 'odd', isOpen: true })).toMatchObject({ runs: 1 });
      expect(await listed({ since: at(1), until: at(3) })).toEqual(['a_3', 'A-2']);
    });

    it('has ids between bounds, in the order of their characters', async () => {
      const ids = ['a', 'ab', 'b', 'é', '\uffee', '\u{1f600}'];
      await index.write([...ids].reverse().map((id) => told(aToldRun(id, 3))));
      await index.write([told(aToldRun('ab', 4, { status: 'failed' }))]);
      const all = { from: '', isBehind: true, before: null };
      expect(await index.ids(all)).toEqual(ids);
      expect(await index.ids({ ...all, from: 'ab' })).toEqual(['b', 'é', '\uffee', '\u{1f600}']);
      expect(await index.ids({ ...all, from: 'ab', isBehind: false, limit: 2 })).toEqual(['ab', 'b']);
      expect(await index.ids({ ...all, from: 'a', isBehind: false, before: 'b' })).toEqual(['a', 'ab']);
      expect(await index.ids({ ...all, status: 'failed' })).toEqual(['ab']);
      await expect(index.ids({ ...all, limit: 0 })).rejects.toMatchObject({ code: 'usage' });
    });

    it('gives pages that stay right while runs and requests come and go', async () => {
      const change = (i: number): IndexChange =>
        told(
          aToldRun(`r${String(i).padStart(2, '0')}`, 3, {
            started_at: at(Math.floor(i / 4)),
            pending: [
              aRequest(`r${String(i).padStart(2, '0')}`, '10'),
              aRequest(`r${String(i).padStart(2, '0')}`, '9'),
            ],
          }),
        );
      await index.write(Array.from({ length: 20 }, (_, i) => change(i)));
      const runs: string[] = [];
      const requests: string[] = [];
      for (let after: string | undefined, n = 20; ; n++) {
        const page = await index.runs({ limit: 3, after });
        runs.push(...page.items.map(({ run_id }) => run_id));
        if (page.next === null) break;
        after = page.next;
        await index.write([told(aToldRun(`new${n}`, 3, { started_at: at(50) }))]);
      }
      expect(runs).toEqual(Array.from({ length: 20 }, (_, i) => `r${String(19 - i).padStart(2, '0')}`));
      for (let after: string | undefined; ;) {
        const page = await index.requests({ limit: 7, after });
        requests.push(...page.items.map(({ id }) => id));
        if (page.next === null) break;
        after = page.next;
        // Of what was given already.
        const first = page.items[0]?.run_id ?? '';
        await index.write([told(aToldRun(first, 9, { pending: [] }))]);
      }
      expect(requests.filter((id) => id.endsWith('/9'))).toHaveLength(20);
      expect(new Set(requests).size).toBe(requests.length);
      expect(requests.slice(0, 2)).toEqual(['r00/9', 'r00/10']);
      await expect(index.runs({ limit: 3, after: 'nonsense' })).rejects.toMatchObject({ code: 'usage' });
      await expect(index.requests({ limit: 3, after: 'nonsense' })).rejects.toMatchObject({ code: 'usage' });
    });

    it('lists requests by run, procedure, kind, approver and age, the oldest first', async () => {
      const pending = [
        aRequest('r', '0', { created_at: at(3), approvers: ['ada', 'o"brien'] }),
        aRequest('r', '1', { created_at: at(2), kind: 'input' }),
      ];
      await index.write([
        told(aToldRun('r', 3, { pending })),
        told(aToldRun('s', 3, { procedure: 'other', pending: [aRequest('s', '0', { created_at: at(1) })] })),
      ]);
      expect(await asked()).toEqual(['s/0', 'r/1', 'r/0']);
      expect(await asked({ runIds: ['r'] })).toEqual(['r/1', 'r/0']);
      expect(await asked({ procedure: 'other' })).toEqual(['s/0']);
      expect(await asked({ kind: 'input' })).toEqual(['r/1']);
      expect(await asked({ approver: 'ada', runIds: ['r'] })).toEqual(['r/1', 'r/0']);
      expect(await asked({ approver: 'o"brien', kind: 'approval' })).toEqual(['s/0', 'r/0']);
      expect(await asked({ approver: 'ad' })).toEqual(['s/0', 'r/1']);
      expect(await asked({ askedBefore: at(2) })).toEqual(['s/0', 'r/1']);
      expect(await asked({ runIds: [] })).toEqual([]);
    });

    it('lists what somebody may decide, whatever the names are, and not what they ask themselves', async () => {
      const names = ['ada', 'a\nb', 'c,d', ',', '"', '\\', '%', 'nul\0', '\ud800', '🦊'];
      const pending = names.map((name, i) => aRequest('r', String(i), { approvers: [name, 'all'] }));
      const own = aRequest('r', '99', { requester: 'ada' });
      await index.write([told(aToldRun('r', 3, { pending: [...pending, own] }))]);
      for (const [i, name] of names.entries())
        expect(await asked({ approver: name }), JSON.stringify(name)).toEqual(
          i === 0 ? ['r/0'] : [`r/${i}`, 'r/99'],
        );
      expect(await asked({ approver: 'all' })).toHaveLength(names.length + 1);
      for (const none of ['', 'ad', 'b', '","', 'nul', '_'])
        expect(await asked({ approver: none })).toEqual(['r/99']);
    });

    it('lists requests by what their messages say', async () => {
      const messages = ['Pay 50 € to ÄRGER & Co?', 'pay_60', 'Refund 100%?'];
      const pending = messages.map((message, i) => aRequest('r', String(i), { message }));
      await index.write([told(aToldRun('r', 3, { pending }))]);
      expect(await asked({ text: 'PAY' })).toEqual(['r/0', 'r/1']);
      expect(await asked({ text: 'ärger' })).toEqual(['r/0']);
      expect(await asked({ text: '0%' })).toEqual(['r/2']);
      expect([await asked({ text: 'y_6' }), await asked({ text: '%' })]).toEqual([['r/1'], ['r/2']]);
      expect(await asked({ text: '\0' })).toEqual([]);
      for (const limit of [0, -1, 1.5])
        await expect(index.requests({ limit })).rejects.toMatchObject({ code: 'usage' });
      await expect(index.runs({ limit: 0 })).rejects.toMatchObject({ code: 'usage' });
    });

    it('counts what began, and what ended, before a time', async () => {
      const closed = { status: 'completed', closed_at: at(5) } as const;
      await index.write([
        told(aToldRun('open', 3, { version: { execution: 'e', began: 4_000, length: 3, step: 0 } })),
        { kind: 'listed', run: aServerRun('unheard', { started_at: at(4) }) },
        { kind: 'closed', run: { ...aServerRun('closed', closed), error: null } },
      ]);
      expect(await index.countsBefore(Date.parse(at(5)))).toEqual({ open: 2, closed: 0 });
      expect(await index.countsBefore(Date.parse(at(5)) + 1)).toEqual({ open: 2, closed: 1 });
      expect(await index.countsBefore(Date.parse(at(4)))).toEqual({ open: 1, closed: 0 });
      expect(await index.countsBefore(4_000)).toEqual({ open: 0, closed: 0 });
    });

    it('takes all of a write, or nothing', async () => {
      const broken = aToldRun('s', 3, { pending: [aRequest('s', '0'), aRequest('s', '0')] });
      await expect(index.write([told(aToldRun('r', 3)), told(broken)])).rejects.toThrow();
      expect(await listed()).toEqual([]);
      await index.write([told(aToldRun('r', 3))]);
      expect(await listed()).toEqual(['r']);
    });

    it('is shared by several who write at once', async () => {
      const others = await Promise.all([open(), open(), open()]);
      await Promise.all(
        others.map(async (each, k) => {
          for (let n = 1; n <= 15; n++)
            await each.write(
              ['x', 'y', 'z'].map((runId) => {
                const length = n * 3 + k;
                return told(aToldRun(runId, length, { pending: [aRequest(runId, String(length))] }));
              }),
            );
        }),
      );
      expect(await asked()).toEqual(['x/47', 'y/47', 'z/47']);
      await Promise.all(others.map((each) => each.close()));
    });

    it('remembers who writes, whose runs it has, and up to when', async () => {
      const feeder = { id: 'f', host: 'h', pid: 1, seenAt: Date.now() };
      expect([await index.caughtUpAt(), await index.feeders()]).toEqual([null, []]);
      await index.enter({ ...feeder, seenAt: 1 });
      await index.enter(feeder);
      await index.setCaughtUp(1);
      await index.setCaughtUp(1_800_000_000_000);
      expect([await index.caughtUpAt(), await index.feeders()]).toEqual([1_800_000_000_000, [feeder]]);
      expect([await index.claim('a'), await index.claim('b')]).toEqual(['a', 'a']);
      await index.write([told(aToldRun('r', 3, { pending: [aRequest('r', '0')] }))]);
      await index.clear();
      expect(await index.counts()).toEqual({ runs: 0, requests: 0, byStatus: {} });
      expect([await index.caughtUpAt(), await index.claim('b'), await index.feeders()]).toEqual([
        null,
        'b',
        [feeder],
      ]);
      await index.leave(['f', 'unknown']);
      expect(await index.feeders()).toEqual([]);
    });

    it('is there for whoever opens it again', async () => {
      await index.write([told(aToldRun('r', 3, { pending: [aRequest('r', '0')] }))]);
      const again = await open();
      expect((await again.requests({ limit: 9 })).items.map(({ id }) => id)).toEqual(['r/0']);
      await again.close();
    });
  });
}
