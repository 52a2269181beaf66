import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/contract/json/json.js';
import type { HumanRequest } from '../../src/contract/people/human-request.js';
import { caseFolder, type CaseFolder } from './case-folder.js';

/** Where the reference goes wrong: runs whose process, worker and all, is killed while they wait for a person. */

vi.setConfig({ maxConcurrency: 3 });

interface KilledCase {
  name: string;
  asks: string;
  output: JsonObject;
  state: JsonObject;
  logs: string[];
  /** Positions and types of the execution log. The answer is the last. */
  log: string[];
}

const cases: KilledCase[] = [
  {
    name: 'w-p01-nested-shift',
    asks: 'go?',
    output: { y: 42, after: 'main-after', ok: true },
    state: {},
    logs: ['before human'],
    log: [
      ...['0.0 explicit_checkpoint', '0.1 explicit_checkpoint', '0.2 explicit_checkpoint'],
      ...['0 procedure_call', '1 explicit_checkpoint', '2 hitl_approval'],
    ],
  },
  {
    name: 'w-p04-state-double',
    asks: 'go?',
    output: { n: 3, ok: true },
    state: { count: 3, tags: [] },
    logs: [],
    log: ['0 hitl_approval'],
  },
  {
    name: 'w-p07-tool-reexec',
    asks: 'continue?',
    output: { ok: true, n: 1 },
    state: {},
    logs: ['CHARGED'],
    log: ['0 tool_call', '1 hitl_approval'],
  },
];

let folder: CaseFolder;
let killedAt: number;

beforeAll(async () => {
  folder = await caseFolder();
  // Their workers take each other's runs: all must wait before the first is killed.
  const terminals = await Promise.all([
    ...cases.map(({ name, asks }) => folder.untilAsked(`${name}.tac`, name, asks)),
    folder.untilAsked('w-p14b-run-hitl.tac', 'family', 'sub file?'),
  ]);
  await Promise.all(terminals.map((terminal) => terminal.kill()));
  killedAt = Date.now();
  await folder.work();
});
afterAll(() => folder?.close());

describe.concurrent('killed while a person is asked', () => {
  it.each(cases)('$name', async ({ name, output, state, logs, log }) => {
    const asked = log.at(-1)?.split(' ')[0] ?? '';
    expect(await folder.json(['respond', `${name}/${asked}`, 'true'])).toMatchObject({ outcome: 'accepted' });
    const view = await folder.follow(['resume', name]);
    expect(view).toMatchObject({ status: 'completed', error: null, pending: [], checkpoints: log.length });
    expect(view.output).toEqual(output);
    expect(view.logs.map(({ message }) => message)).toEqual(logs);
    expect(view.state).toEqual(state);
    const entries = await folder.log(name);
    expect(entries.map(({ position, type }) => `${position} ${type}`)).toEqual(log);
    // What was performed before the kill stands as it was; only the answer came behind it.
    expect(entries.map(({ timestamp }) => Date.parse(timestamp) < killedAt)).toEqual(
      log.map((_, i) => i < log.length - 1),
    );
  });

  it('w-p14b: a procedure whose file waits for a person waits too', async () => {
    expect(await folder.json(['status', 'family'])).toMatchObject({ status: 'waiting_for_children' });
    const { pending } = await folder.json<{ pending: HumanRequest[] }>(['pending', 'family']);
    expect(pending).toMatchObject([{ run_id: 'family/0', message: 'sub file?' }]);
    await folder.json(['respond', pending[0]?.id ?? '', 'y']);
    const { output } = await folder.follow(['resume', 'family']);
    expect(output).toEqual({ log: expect.stringMatching(/^true:table/) as string });
    expect(await folder.log('family')).toMatchObject([{ type: 'procedure_call', result: { ok: true } }]);
  });
});
