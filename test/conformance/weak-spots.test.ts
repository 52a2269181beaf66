import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/contract/json/json.js';
import type { RunView } from '../../src/contract/runs/run-view.js';
import { caseFolder, type CaseFolder } from './case-folder.js';
import { differences } from './differences.js';
import { expectExcludedOnly, tellExclusions } from './exclusions.js';
import type { RecordedRun } from './recorded-case.js';

/** Where the reference goes wrong, and what must happen instead: cases in which nobody is killed. */

vi.setConfig({ maxConcurrency: 3 });

/** Runs that nobody interrupts, as they would have been recorded if the reference did them right. */
const plain: { name: string; result: JsonObject; checkpoints: string[] }[] = [
  { name: 'w-p11-reset', result: { a: true, b: false, n: 0, lr: 'table:nil' }, checkpoints: [] },
  { name: 'w-p12-assign-procs', result: { y: 2 }, checkpoints: ['procedure_call'] },
  { name: 'w-p14d-spawn-wait', result: { log: '50' }, checkpoints: [] },
  { name: 'w-p14e-spawn-noparams', result: { log: 'table: 0x0table: 0x0' }, checkpoints: [] },
  { name: 'w-pA-toolget', result: { v: 'table:table: 0x0' }, checkpoints: [] },
];
const templates = { name: 'w-pD-templates', i: 0 };
const compared = [...plain.map(({ name }) => ({ name, i: 0 })), templates];

let folder: CaseFolder;

beforeAll(async () => {
  folder = await caseFolder();
  await folder.work();
});
afterAll(() => folder?.close());

it('lists what is not there yet', () => tellExclusions('w-', compared));

describe.concurrent('where the reference goes wrong', () => {
  it.each(plain)('$name', async ({ name, result, checkpoints }) => {
    const view = await folder.follow(['run', `${name}.tac`]);
    const wanted: RecordedRun = {
      ...{ success: true, status: 'COMPLETED', result, state: {}, error: null, printed: '', logs: [] },
      ...{ hitl_requests: [], input: {}, hitl_answers: null, strict: false },
      checkpoints: checkpoints.map((type) => ({ type })),
    };
    expectExcludedOnly({ name, i: 0 }, differences(wanted, view, await folder.logOf(view)), view.error);
  });

  it('w-p06: each run has its own log and request, two at once too', async () => {
    const start = (who: string): ReturnType<CaseFolder['follow']> =>
      folder.follow(['run', 'w-p06-stale-rerun.tac', '--id', who, '--param', `who=${who}`]);
    const [ann, bob] = await Promise.all([start('ann'), start('bob')]);
    expect([ann, bob].map(({ status }) => status)).toEqual(['waiting_for_human', 'waiting_for_human']);
    expect([ann, bob].map(({ pending }) => pending.map(({ message }) => message))).toEqual([
      ['greet ann?'],
      ['greet bob?'],
    ]);
    await folder.json(['respond', ann.pending[0]?.id ?? '', 'y']);
    await folder.json(['respond', bob.pending[0]?.id ?? '', 'n']);
    const ended = await Promise.all(['ann', 'bob'].map((id) => folder.follow(['resume', id])));
    expect(ended.map(({ output }) => output)).toEqual([
      { msg: 'hello ann', ok: true },
      { msg: 'hello bob', ok: false },
    ]);
    // Behind a closed run, the same procedure asks anew.
    expect((await start('cleo')).pending).toMatchObject([{ message: 'greet cleo?' }]);
    expect((await folder.log('bob')).map(({ result }) => result)).toMatchObject([
      'hello bob',
      { value: false },
    ]);
  });

  it('w-p21: the default when the time is over, at a terminal where nobody types', async () => {
    const terminal = folder.terminal(['run', 'w-p21-timeout.tac', '--id', 'late']);
    await terminal.shows('Deploy?');
    expect(await terminal.ended).toBe(0);
    expect((await folder.follow(['result', 'late'])).output).toEqual({
      ok: true,
      ty: 'boolean',
      name: 'step1',
    });
    const [, decided] = await folder.log('late');
    expect(decided).toMatchObject({ type: 'hitl_approval', result: { value: true, timed_out: true } });
    expect(decided?.duration_ms).toBeGreaterThanOrEqual(3_000);
  });

  it('w-p21: an answer before that', async () => {
    const view = await folder.follow(['run', 'w-p21-timeout.tac', '--id', 'early', '--respond', 'false']);
    expect(view.output).toEqual({ ok: false, ty: 'boolean', name: 'step1' });
    expect((await folder.log('early'))[1]).toMatchObject({ result: { value: false, timed_out: false } });
  });

  it('w-p22: the cost of a checkpoint does not grow with their number', async () => {
    const took = async (n: number): Promise<number> => {
      const id = `cost-${n}`;
      const view = await folder.follow(['run', 'w-p22-cost.tac', '--id', id, '--param', `n=${n}`]);
      expect(view).toMatchObject({ output: { n }, checkpoints: n });
      const { started_at: from, closed_at: to } = await folder.json<RunView>(['status', id]);
      return Date.parse(to ?? '') - Date.parse(from);
    };
    const few = await took(100);
    expect(few).toBeGreaterThan(0);
    expect(await took(2_000)).toBeLessThan(25 * few);
  });

  it('w-pD: unknown names in templates are reported', async () => {
    const ended = await folder.run(['validate', 'w-pD-templates.tac', '--json']);
    const isReported = JSON.stringify(ended.json()['diagnostics'] ?? []).includes('output.z');
    expectExcludedOnly(templates, new Map(isReported ? [] : [['validate', ended.stderr]]), null);
  });
});
