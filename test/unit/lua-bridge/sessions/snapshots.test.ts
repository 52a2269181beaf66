import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import { outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';

const kept = (name: string): string => readFileSync(join(import.meta.dirname, 'wink', name), 'utf8').trim();

/** Runs Lua with the text of a snapshot as `input.text`. */
const withText = (text: string, source: string, options: FakeOptions = {}): JsonValue =>
  outputOf(source, { ...options, input: { text } });

const planType = 'weakincentives.contrib.tools.planning:Plan';

/** A snapshot of a plan with other fields. */
const snapshotOf = (changed: JsonObject = {}): JsonObject => ({
  ...{ version: '1', created_at: '2026-01-02T03:04:05+00:00', parent_id: null, children_ids: [], tags: {} },
  slices: [sliceOf()],
  ...changed,
});
const sliceOf = (changed: JsonObject = {}): JsonObject => ({
  ...{ slice_type: planType, item_type: planType },
  items: [{ __type__: planType, objective: 'a', status: 'active', steps: [] }],
  ...changed,
});

const restoring = (text: string, before = '', options = ''): JsonObject =>
  withText(
    text,
    `${before} Plan.setup { objective = "before" }
     local ok, found = pcall(Session.restore, input.text${options === '' ? '' : `, ${options}`})
     return { ok = ok, found = found, code = not ok and Error.code(found) or nil, plan = Plan.current() }`,
  ) as JsonObject;

describe('Session.snapshot', () => {
  const filled = `
    local findings = Session.slice("make_snapshot:Finding", { reducer = { "upsert_by", "id" } })
    findings.append { id = 1, text = "a fault", score = 0.5, sure = true }
    findings.append { id = 2, text = "a question", score = 1 }
    Session.slice("empty")
    Plan.setup { objective = "Publish — “it”", initial_steps = { "Draft", "Review" } }
    Plan.update { step_id = 1, status = "done" }`;

  it('is the JSON of WINK, which WINK 0.14 restores', () => {
    const text = outputOf(`${filled} return Session.snapshot()`);
    // `wink/make_snapshot.py` restores this file by WINK itself, and writes what it found.
    expect(text).toBe(kept('ours.txt'));
    expect(kept('ours-in-wink.txt').split('\n')).toEqual([
      "tags: ['procedure', 'run_id', 'session_id']",
      'created_at: 2026-01-02T03:04:05+00:00',
      ...['Objective: Publish — “it”', 'Status: active', '', '1 [done] Draft', '2 [pending] Review'],
      "Finding(id=1, text='a fault', score=0.5, sure=True)",
      "Finding(id=2, text='a question', score=1.0, sure=None)",
    ]);
  });

  it('has sorted keys, and slices of the class that they have', () => {
    const text = outputOf(
      `${filled} Session.slice("notes").append { n = 1 } return Session.snapshot()`,
    ) as string;
    const found = JSON.parse(text) as JsonObject & { slices: JsonObject[] };
    expect(Object.keys(found)).toEqual([
      ...['children_ids', 'created_at', 'parent_id', 'slices', 'tags', 'version'],
    ]);
    expect([found['version'], found['parent_id'], found['children_ids']]).toEqual(['1', null, []]);
    expect(found.slices.map((slice) => slice['slice_type'])).toEqual([
      ...['make_snapshot:Finding', 'tactus.session:notes', planType],
    ]);
    expect(found.slices[1]).toEqual({
      ...{ slice_type: 'tactus.session:notes', item_type: 'tactus.session:notes' },
      items: [{ __type__: 'tactus.session:notes', n: 1 }],
    });
  });

  it('is restored as it was, whatever the items are', () => {
    const source = `
      local s = Session.slice("s") s.seed { 1, "two", { 3 }, { four = { 4 } }, false, { __type__ = "mine", value = 5 } }
      local t = Session.slice("t", { reducer = "replace_latest" }) t.append { n = 1 }
      Plan.setup { objective = "a", initial_steps = { "b" } }
      local text = Session.snapshot()
      s.clear() t.append { n = 2 } Session.slice("new").append("x") Plan.update { step_id = 1, status = "done" }
      local found = Session.restore(text)
      t.append { n = 3 }
      return { s = s.all(), t = t.all(), plan = Plan.current().status, new = #Session.slice("new").all(),
        restored = found.restored, same = Session.snapshot() ~= text, at = found.created_at, ignored = #found.ignored }`;
    expect(outputOf(source)).toEqual({
      s: [1, 'two', [3], { four: [4] }, false, { __type__: 'mine', value: 5 }],
      ...{ t: [{ n: 3 }], plan: 'active', new: 0, restored: ['s', 't', 'Plan'], same: true, ignored: 0 },
      at: '2026-01-02T03:04:05.000Z',
    });
  });

  it('is an error where it is larger than what can be kept', () => {
    const source = `Session.slice("s").append(("x"):rep(500)) local ok, err = pcall(Session.snapshot)
      return { err = err, code = Error.code(err), left = #Session.slice("s").all() }`;
    expect(outputOf(source, { limits: { payloadBytes: 600 } })).toEqual({
      err: expect.stringMatching(
        /^SnapshotSerializationError: Unable to serialize session slices: the snapshot has \d+ bytes, and 600 can be kept$/,
      ) as unknown,
      ...{ code: 'snapshot_failed', left: 1 },
    });
  });

  it('is the same in a replay', () => {
    const source = 'Sleep(5) Session.slice("s").append(1) return Session.snapshot()';
    const { program, ended } = runFake(source);
    expect(runFake(source, { carried: program.log.entries }).ended).toEqual(ended);
  });
});

describe('a snapshot of WINK 0.14', () => {
  const declared = 'local findings = Session.slice("Finding", { reducer = { "upsert_by", "id" } })';

  it('restores here', () => {
    const source = `${declared} local found = Session.restore(input.text)
      return { plan = Plan.current(), findings = findings.all(), tags = found.tags, restored = found.restored }`;
    expect(withText(kept('from-wink.txt'), source)).toEqual({
      plan: {
        ...{ objective: 'Publish the guide — “now”', status: 'active' },
        steps: [
          { step_id: 1, title: 'Draft', status: 'done' },
          { step_id: 2, title: 'Proof-read', status: 'in_progress' },
          { step_id: 3, title: 'Ship', status: 'pending' },
        ],
      },
      findings: [
        { id: 1, text: 'a fault', score: 0.5, sure: true },
        { id: 2, text: 'a question', score: 1 },
      ],
      tags: { loop: 'guide', session_id: '00000000-0000-4000-8000-000000000001' },
      restored: ['Finding', 'Plan'],
    });
  });

  it('goes back with the classes that it came with, also in the next pass', () => {
    const source = `state.n = (state.n or 0) + 1 ${declared}
      if state.n == 1 then Session.restore(input.text) end
      findings.append { id = 3, text = "new", score = 1 }
      Sleep(1)
      if state.n == 1 then Procedure.continue_as_new() end
      return Session.snapshot()`;
    const { slices } = JSON.parse(withText(kept('from-wink.txt'), source) as string) as {
      slices: JsonObject[];
    };
    expect(slices.map((slice) => slice['slice_type'])).toEqual([planType, 'make_snapshot:Finding'].sort());
  });
});

describe('Session.restore', () => {
  it.each<readonly [JsonValue | string, string]>([
    ['{', 'Invalid snapshot JSON'],
    [[], 'Snapshot payload must be an object'],
    [snapshotOf({ version: 1 }), 'Snapshot version must be a string'],
    [snapshotOf({ version: '2' }), "Snapshot schema version mismatch: expected 1, got '2'"],
    [snapshotOf({ created_at: 5 }), 'Snapshot created_at must be a string'],
    [snapshotOf({ created_at: 'today' }), 'Invalid created_at timestamp'],
    [snapshotOf({ parent_id: 5 }), 'Snapshot parent_id must be a string'],
    [snapshotOf({ parent_id: 'me' }), 'Invalid parent_id'],
    [snapshotOf({ children_ids: 'me' }), 'Snapshot children_ids must be a list'],
    [snapshotOf({ children_ids: [5] }), 'Snapshot children_ids entries must be strings'],
    [snapshotOf({ children_ids: ['me'] }), 'Invalid children_ids entry'],
    [snapshotOf({ slices: {} }), 'Snapshot slices must be a list'],
    [snapshotOf({ slices: [5] }), 'Slice entry must be an object'],
    [snapshotOf({ slices: [sliceOf({ slice_type: 5 })] }), 'Slice type identifiers must be strings'],
    [snapshotOf({ slices: [{ slice_type: planType, items: [] }] }), 'Slice type identifiers must be strings'],
    [snapshotOf({ slices: [sliceOf({ items: {} })] }), 'Slice items must be a list'],
    [snapshotOf({ slices: [sliceOf({ items: ['a'] })] }), 'Slice items must be objects'],
    [snapshotOf({ slices: [sliceOf({ slice_type: 'Plan' })] }), "Invalid type identifier: 'Plan'"],
    [snapshotOf({ slices: [sliceOf({ item_type: ':x' })] }), "Invalid type identifier: ':x'"],
    [snapshotOf({ slices: [sliceOf({ items: [{ objective: 'a' }] })] }), 'Failed to restore slice Plan'],
    [
      snapshotOf({ slices: [sliceOf({ items: [{ __type__: 'a:B', objective: 'a', status: 'active' }] })] }),
      'Failed to restore slice Plan',
    ],
    [
      snapshotOf({ slices: [sliceOf({ item_type: 'tactus.session:Value', items: [{}] })] }),
      'Failed to restore slice Plan',
    ],
    [snapshotOf({ tags: [] }), 'Snapshot tags must be an object'],
    [snapshotOf({ tags: { a: 1 } }), 'Snapshot tags must be string key/value pairs'],
    [
      snapshotOf({
        slices: ['m:Q', 'a.b:A.C'].map((type) => ({ slice_type: type, item_type: type, items: [{}] })),
      }),
      'Slice types not registered: A.C, Q',
    ],
  ])('of %j is an error', (given, text) => {
    const { ok, found, code, plan } = restoring(typeof given === 'string' ? given : JSON.stringify(given));
    expect([ok, found, code]).toEqual([false, `SnapshotRestoreError: ${text}`, 'snapshot_invalid']);
    expect(plan).toMatchObject({ objective: 'before' });
  });

  it.each([
    snapshotOf({ version: '1', created_at: '2026-01-02T03:04:05' }),
    snapshotOf({ created_at: '2026-01-02T03:04:05.123456+02:00' }),
    snapshotOf({
      parent_id: '6fce41a98ae331d4e60e576180506eb3',
      children_ids: ['{80506eb3-6fce-41a9-8ae3-31d4e60e5761}'],
    }),
    { version: '1', created_at: '2026-01-02', slices: [sliceOf()] },
    snapshotOf({ slices: [{ ...sliceOf(), items: [{ objective: 'a', status: 'active' }] }] }),
  ])('takes what WINK takes: %j', (given) => {
    expect(restoring(JSON.stringify(given))).toMatchObject({ ok: true, plan: { objective: 'a' } });
  });

  it('empties what the snapshot has not', () => {
    expect(restoring(JSON.stringify(snapshotOf({ slices: [] })))).toMatchObject({ ok: true });
    expect(restoring(JSON.stringify({ version: '1', created_at: '2026-01-02' }))).not.toHaveProperty('plan');
  });

  const older = JSON.stringify(
    snapshotOf({
      slices: [
        {
          slice_type: 'app:OldFinding',
          item_type: 'app:OldFinding',
          items: [{ __type__: 'app:OldFinding', n: 1 }],
        },
        { slice_type: 'app:Gone', item_type: 'app:Gone', items: [{}] },
        sliceOf(),
      ],
    }),
  );
  const slice = 'local findings = Session.slice("Finding")';

  it('leaves out slices that nobody has named where it may', () => {
    expect(restoring(older, slice, '{ missing = "ignore" }')).toMatchObject({
      ...{ ok: true, found: { restored: ['Plan'], ignored: ['OldFinding', 'Gone'] } },
    });
    expect(restoring(older, slice)).toMatchObject({
      found: 'SnapshotRestoreError: Slice types not registered: Gone, OldFinding',
    });
  });

  it('has functions bring slices into another form, which may wait', () => {
    const options = `{ migrate = {
      OldFinding = function(items) Sleep(1) for _, item in ipairs(items) do item.text = "no " .. item.n end return items, "Finding" end,
      ["app:Gone"] = function() return nil end } }`;
    const source = `${slice} local found = Session.restore(input.text, ${options}) return { found = found.restored, all = findings.all() }`;
    expect(withText(older, source)).toEqual({ found: ['Finding', 'Plan'], all: [{ n: 1, text: 'no 1' }] });
  });

  it.each([
    ['OldFinding = function() error("broken", 0) end', 'broken'],
    ['OldFinding = function() return 5 end', 'migrate of OldFinding must return a list of items, or nil'],
    ['OldFinding = function(items) return items, "Nothing" end', 'Slice types not registered: Nothing'],
    ['OldFinding = function(items) return items end', 'Slice types not registered: Gone, OldFinding'],
    [
      'OldFinding = function() return { "no plan" }, "Plan" end, Gone = function() return nil end',
      'Failed to restore slice Plan',
    ],
  ])('leaves the session as it was where one does not: %s', (functions, text) => {
    const found = restoring(older, slice, `{ migrate = { ${functions} } }`);
    expect(found).toMatchObject({
      ok: false,
      found: expect.stringContaining(text) as unknown,
      plan: { objective: 'before' },
    });
  });

  it('leaves the session as it was where it would be too large', () => {
    const source = `local s = Session.slice("s") s.append("before")
      local ok, err = pcall(Session.restore, input.text) return { err = err, all = s.all(), code = Error.code(err) }`;
    const type = 'tactus.session:s';
    const text = JSON.stringify(
      snapshotOf({ slices: [{ slice_type: type, item_type: type, items: [{ text: 'x'.repeat(300) }] }] }),
    );
    expect(withText(text, source, { limits: { sessionBytes: 200 } })).toMatchObject({
      ...{ all: ['before'], code: 'payload_too_large' },
    });
  });

  it.each([
    ['5', 'snapshot_invalid|snapshot expected|payload must be an object'],
    ['"{}", { missing = "skip" }', 'missing must be "error" or "ignore", got "skip"'],
    ['"{}", { lenient = true }', 'Session.restore has no option lenient: it has missing and migrate'],
    ['"{}", { migrate = 5 }', 'migrate must be a table of functions'],
    ['"{}", 5', 'table expected'],
  ])('(%s) is an error', (given, text) => {
    expect(() => outputOf(`Session.restore(${given})`)).toThrow(new RegExp(text));
  });
});
