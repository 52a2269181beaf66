import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { sourceHash, type ProcedureSource } from '../../../src/contract/procedures/source.js';
import { expectReplays } from '../../support/histories-below.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { waitUntil } from '../../support/wait-until.js';
import { agents, approve, executionOf, procedure, rewinding } from './rewinding.js';

const { around, start, rewind, calls } = rewinding();
const positionsOf = async (run: TactusRun): Promise<string[]> =>
  (await run.log()).execution_log.map(({ position }) => position);

const twice = procedure(`local one = writer("One").output
local two = writer("Two").output
local ok = Human.approve("Go on with " .. two .. "?")
return { one = one, two = two, ok = ok }`);

describe('a run that is open', () => {
  it('goes back under its id: what is kept is not paid again, and the request is another one', async () => {
    const run = await start(twice);
    const [before] = await pendingOf(run);
    const first = await executionOf(run);
    const paid = calls();
    const { plan, checkpoints } = await rewind(run, { at: '1', by: 'cid' });
    expect({ checkpoints, kept: plan.kept }).toEqual({ checkpoints: 2, kept: 2 });
    expect(plan.requests).toEqual([{ id: before?.id, becomes: 'asked_anew' }]);
    await waitUntil(async () => calls() === paid + 1);
    const [after] = await pendingOf(run);
    expect(after?.message).toBe('Go on with said 3?');
    await approve(run);
    expect(await run.result()).toEqual({ one: 'said 1', two: 'said 3', ok: true });
    expect(calls()).toBe(paid + 1);
    const digest = `sha256:${sourceHash(twice)}`;
    expect((await run.status()).changes).toEqual([
      {
        ...{
          kind: 'rewind',
          position: '1',
          at: expect.any(String) as unknown,
          by: 'cid',
          kept: 2,
          changed: [],
        },
        ...{
          from: digest,
          to: digest,
          open: { 2: 'asked_anew' },
          again: { human: 1, model: 1 },
          execution: first,
        },
      },
    ]);
    // The execution before stays readable.
    const { execution_log: log } = await run.inExecution(first).log();
    expect(log.find(({ position }) => position === '1')?.result).toMatchObject({ output: 'said 2' });
    expect((await run.status()).usage.input_tokens).toBe(30);
    await expectReplays(around.server.tactus, run.runId);
  });

  it('goes on with what is set, and with another source', async () => {
    const run = await start(twice);
    await pendingOf(run);
    const paid = calls();
    const source = procedureSource((twice.files['main.tac'] ?? '').replace('{ one =', '{ by = "new", one ='));
    await rewind(run, { at: '1.0', set: { content: 'set by hand' }, source }).catch(() => undefined);
    await rewind(run, { at: '0', source });
    await waitUntil(async () => calls() >= paid + 2);
    await approve(run);
    expect(await run.result()).toMatchObject({ by: 'new', ok: true });
    expect((await run.handle.describe()).memo).toMatchObject({ source: `sha256:${sourceHash(source)}` });
  });

  it('is left as it was where the source does not fit, where nothing is there, and by a dry run', async () => {
    const run = await start(twice);
    const [before] = await pendingOf(run);
    const execution = await executionOf(run);
    const other = procedure('return writer("Another").output');
    await expect(rewind(run, { at: '1', source: other })).rejects.toMatchObject({ code: 'non_determinism' });
    await expect(rewind(run, { at: '7' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('has no checkpoint 7') as unknown,
    });
    const { plan } = await rewind(run, { at: '1', dryRun: true });
    expect(plan.again).toMatchObject([
      { position: '1.0', effect: 'model', repeats: false },
      { position: '2', effect: 'human', repeats: false },
    ]);
    expect(await run.pending()).toEqual([before]);
    expect(await executionOf(run)).toBe(execution);
    await run.cancel();
  });

  it('does nothing a second time that may be done once only, without consent', async () => {
    const body = `http_client.post(input.shop .. "/charge", { body = "5" })
    local ok = Human.approve("Sent?")
    return { ok = ok }`;
    around.provider.reply(() => ({ json: {} }));
    const run = await start(procedureOf(body), { shop: around.provider.url });
    await pendingOf(run);
    const execution = await executionOf(run);
    await expect(rewind(run, { at: '0' })).rejects.toMatchObject({
      code: 'change_refused',
      message: expect.stringContaining('a second time') as unknown,
    });
    expect(await executionOf(run)).toBe(execution);
    const before = calls();
    const { plan } = await rewind(run, { at: '0', mayRepeat: true });
    expect(plan.again).toMatchObject([{ position: '0', effect: 'once', repeats: true }, { position: '1' }]);
    await waitUntil(async () => calls() === before + 1);
    const keys = around.provider.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys.slice(-2)).size).toBe(2);
    await approve(run);
    expect((await run.status()).changes).toMatchObject([{ kind: 'rewind', repeats: ['0'] }]);
  });

  // Elsewhere a message that came after the checkpoint is lost: dbos-inc/dbos-transact-py#856.
  it('finds events again that it was told of after the checkpoint, and not those before', async () => {
    const run = await start(
      procedureOf(`local a = Event.wait("paid")
      local two = checkpoint(function() return 2 end)
      local b = Event.wait("paid")
      local c = Event.wait("paid")
      local ok = Human.approve("All?")
      return { a, b, c }`),
    );
    for (const n of [1, 2, 3, 4]) await run.send('paid', n);
    await pendingOf(run);
    await rewind(run, { at: '1' });
    await waitUntil(async () => (await run.pending()).length === 1);
    expect(await positionsOf(run)).toEqual(['0', '1', '2', '3']);
    await approve(run);
    expect(await run.result()).toEqual([1, 2, 3]);
  });

  it('leaves a request alone that was asked before, with its votes', async () => {
    const run = await start(
      procedure(`local results = Parallel {
        function() return Human.approve{ message = "Ship?", approvers = { "ann", "ben" }, quorum = 2 } end,
        function()
          writer("One")
          return Event.wait("go")
        end,
      }
      return results`),
    );
    const [before] = await pendingOf(run);
    await run.decide({ request: before?.id ?? '', value: true, by: 'ben' });
    await waitUntil(async () => (await positionsOf(run)).includes('0.1.0'));
    const [voted] = await run.pending();
    const paid = calls();
    const { plan } = await rewind(run, { at: '0.1.0.0' });
    expect(plan.requests).toEqual([{ id: before?.id, becomes: 'kept' }]);
    expect(plan.again.map(({ position }) => position)).toEqual(['0.1.0.0', '0.1.1']);
    await waitUntil(async () => calls() === paid + 1);
    expect(await run.pending()).toEqual([voted]);
    await run.send('go', 'now');
    await approve(run);
    expect(await run.result()).toEqual([true, 'now']);
  });
});

describe('a run that has ended', () => {
  it('goes back after it has completed, and after it was cancelled', async () => {
    const run = await start(twice);
    await approve(run, false);
    expect(await run.result()).toMatchObject({ two: 'said 2', ok: false });
    const paid = calls();
    const first = await executionOf(run);
    await rewind(run, { at: '2' });
    await approve(run);
    expect(await run.result()).toEqual({ one: 'said 1', two: 'said 2', ok: true });
    expect(calls()).toBe(paid);
    await rewind(run, { at: '1' });
    await pendingOf(run);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    await rewind(run, { at: '1', by: 'cid' });
    await approve(run);
    expect(await run.result()).toEqual({ one: 'said 1', two: 'said 4', ok: true });
    const { changes = [] } = await run.status();
    expect(changes.map(({ kind, position, by }) => [kind, position, by])).toEqual([
      ['rewind', '2', null],
      ['rewind', '1', null],
      ['rewind', '1', 'cid'],
    ]);
    expect(changes[0]?.execution).toBe(first);
    expect(await run.inExecution(first).status()).toMatchObject({ output: { ok: false } });
  });

  it('finds the events again that it was told of after the checkpoint', async () => {
    const run = await start(
      procedureOf('local a, b = Event.wait("paid"), Event.wait("paid")\nreturn { a, b }'),
    );
    for (const n of [1, 2]) await run.send('paid', n);
    await run.result();
    await rewind(run, { at: '1' });
    expect(await run.result()).toEqual([1, 2]);
    await rewind(run, { at: '0', set: { value: 7 } });
    expect(await run.result()).toEqual([7, 2]);
  });
});

describe('a run that goes back into a part', () => {
  // Elsewhere all of the part runs again: langchain-ai/langgraph#8458.
  it('repeats of the part only what comes after the checkpoint', async () => {
    const run = await start(
      procedureSource(`${agents}
      local part = Procedure "part" { function(input)
        local one = writer("One").output
        local two = writer("Two").output
        return { one, two }
      end }
      Procedure { function(input)
        local zero = writer("Zero").output
        local both = part({})
        local ok = Human.approve("Go on?")
        return { zero = zero, both = both, ok = ok }
      end }`),
    );
    await pendingOf(run);
    const paid = calls();
    const { plan } = await rewind(run, { at: '1.1' });
    expect(plan.again.map(({ position }) => position)).toEqual(['1.1.0', '2']);
    await waitUntil(async () => calls() === paid + 1);
    await approve(run);
    expect(await run.result()).toEqual({ zero: 'said 1', both: ['said 2', 'said 4'], ok: true });
    expect(calls()).toBe(paid + 1);
  });

  // Elsewhere the run can't be gone on with: langchain-ai/langgraph#9001.
  it('goes on where the new source no longer declares a field of its state', async () => {
    const source = (fields: string, rest: string): ProcedureSource =>
      procedureSource(`Procedure { state = { ${fields} }, function(input)
        state.n = checkpoint(function() return 1 end)
        ${rest}
        state.n = state.n + checkpoint(function() return 2 end)
        local ok = Human.approve("Go on?")
        return { n = state.n, old = state.old, ok = ok }
      end }`);
    const run = await start(
      source('n = field.integer{default = 0}, old = field.string{default = "x"}', 'state.old = "used"'),
    );
    await pendingOf(run);
    await rewind(run, { at: '1', source: source('n = field.integer{default = 0}', '') });
    await approve(run);
    expect(await run.result()).toEqual({ n: 3, ok: true });
  });
});
