import { beforeEach, describe, expect, it } from 'vitest';
import { upgradeRun, type UpgradedRun } from '../../../src/client/changes/upgrade.js';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { sourceHash, type ProcedureSource } from '../../../src/contract/procedures/source.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { waitUntil } from '../../support/wait-until.js';

const around = providerWithWorker();
beforeEach(() => around.provider.reply(() => ({ text: 'said', usage: { input: 10, output: 1 } })));

const executionsOf = (run: TactusRun) => soundExecutions(around.server.client, run);
const start = (source: ProcedureSource, input = {}) => around.server.tactus.start(source, input);

async function approve(run: TactusRun, value = true): Promise<void> {
  const [request] = await pendingOf(run);
  expect(await run.decide({ request: request?.id ?? '', value, by: 'ann' })).toMatchObject({
    outcome: 'accepted',
  });
}

const place = ({ verdict, moved, position, line }: UpgradedRun): object => ({
  verdict,
  moved,
  position,
  line,
});

const asked = procedureOf(`local first = checkpoint(function() return 1 end)
local ok = Human.approve{ message = "Go on?", approvers = { "ann", "ben" }, quorum = 2 }
return { first = first, ok = ok, by = "old" }`);
const edit = (from: string, to: string, source = asked): ProcedureSource => {
  const text = source.files['main.tac'] ?? '';
  expect(text).toContain(from);
  return procedureSource(text.replace(from, to));
};

describe('a run that waits for a person', () => {
  it('goes on with the new source, and nobody is asked again', async () => {
    const run = await start(asked);
    const [before] = await pendingOf(run);
    await run.decide({ request: before?.id ?? '', value: true, by: 'ben' });
    const [voted] = await run.pending();
    const source = edit('by = "old"', 'by = "new", more = checkpoint(function() return "x" end)');
    const moved = await upgradeRun(run, source, { by: 'cid' });
    expect(moved).toMatchObject({ verdict: 'fits', moved: true, message: null });
    expect(moved.plan).toMatchObject({
      kept: 1,
      again: [],
      requests: [{ id: before?.id, becomes: 'kept' }],
    });
    expect(await run.pending()).toEqual([voted]);
    expect(voted?.votes).toMatchObject([{ by: 'ben' }]);
    await approve(run);
    expect(await run.result()).toEqual({ first: 1, ok: true, by: 'new', more: 'x' });
    const { changes } = await run.status();
    const digest = `sha256:${sourceHash(source)}`;
    const [first, second, ...rest] = await executionsOf(run);
    expect(rest).toEqual([]);
    expect(changes).toEqual([
      {
        ...{ kind: 'upgrade', at: expect.any(String) as unknown, by: 'cid', kept: 1, changed: [], open: {} },
        ...{ from: `sha256:${sourceHash(asked)}`, to: digest },
        execution: first?.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId,
      },
    ]);
    expect(second).toBeDefined();
    expect((await run.handle.describe()).memo).toMatchObject({ source: digest });
  });

  it.each([
    ['its message', edit('Go on?', 'Really?'), '1', 3],
    ['who may decide', edit('"ben"', '"cid"'), '1', 3],
    ['that it is asked', edit('Human.approve', '(function() return true end)'), '1', null],
    ['what was recorded before', edit('checkpoint(', 'step("first", '), '0', 2],
  ])('stays as it was where %s is edited', async (_, source, position, line) => {
    const run = await start(asked);
    const [before] = await pendingOf(run);
    const refused = await upgradeRun(run, source);
    expect(place(refused)).toEqual({ verdict: 'diverges', moved: false, position, line });
    expect(await run.pending()).toEqual([before]);
    await run.cancel();
  });

  it('is refused by the run itself as well, and goes on with the old source', async () => {
    const run = await start(asked);
    const [before] = await pendingOf(run);
    const send = (change: object) => run.handle.executeUpdate('upgrade', { args: [change] });
    expect(await send({ source: edit('Go on?', 'Really?') })).toMatchObject({
      ...{ verdict: 'diverges', moved: false, message: expect.stringContaining('Really?') as unknown },
      ...{ kept: 1, diverges: { position: '1', line: 3, file: 'main.tac' } },
    });
    expect(await send({ source: procedureSource('Procedure {') })).toMatchObject({
      ...{ verdict: 'failed', moved: false, failed: { code: 'source_invalid' } },
    });
    expect(await send({ source: procedureOf('while true do end') })).toMatchObject({
      ...{ verdict: 'failed', moved: false, failed: { code: 'instruction_limit' } },
    });
    await expect(send({ source: 'x' })).rejects.toMatchObject({ cause: { type: 'invalid' } });
    await expect(send({ source: asked, reask: true })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('unknown field reask') as unknown },
    });
    expect(await run.pending()).toEqual([before]);
    await run.decide({ request: before?.id ?? '', value: true, by: 'ben' });
    await approve(run);
    expect(await run.result()).toEqual({ first: 1, ok: true, by: 'old' });
    expect((await run.status()).changes).toBeUndefined();
    expect(await executionsOf(run)).toHaveLength(1);
  });

  it('is asked the same where a part failed in a line that has moved, and not where it failed otherwise', async () => {
    const failing = procedureOf(`local tries = 0
    return step("load", function()
      tries = tries + 1
      checkpoint(function() return tries end)
      if tries == 1 then error("gone") end
      return tries
    end, { on_failure = "ask" })`);
    const run = await start(failing);
    const [before] = await pendingOf(run);
    expect(before?.context).toMatchObject({ error: 'main.tac:6: gone' });
    const otherwise = await upgradeRun(run, edit('error("gone")', 'error("lost")', failing));
    expect(place(otherwise)).toMatchObject({ verdict: 'diverges', moved: false });
    const moved = await upgradeRun(run, edit('local tries', '-- Counts.\n\nlocal tries', failing));
    expect(moved).toMatchObject({ verdict: 'fits', moved: true });
    expect(moved.plan?.requests).toEqual([{ id: before?.id, becomes: 'kept' }]);
    expect(await run.decide({ request: before?.id ?? '', value: 'retry', by: 'ann' })).toMatchObject({
      outcome: 'accepted',
    });
    expect(await run.result()).toBe(2);
    await executionsOf(run);
    // What was answered fits, too.
    const again = edit('local tries', '-- Counts.\n\n\nlocal tries', failing);
    const fork = await readFork(run, { at: '0.2', source: again });
    expect(fork.plan).toMatchObject({ diverges: null, kept: 2 });
  });

  it('may be asked anew, where that is said: votes are those on another question', async () => {
    const run = await start(asked);
    const [before] = await pendingOf(run);
    await run.decide({ request: before?.id ?? '', value: true, by: 'ben' });
    const moved = await upgradeRun(run, edit('Go on?', 'Really?'), { mayAskAnew: true });
    expect(moved).toMatchObject({ verdict: 'fits', moved: true });
    expect(moved.plan?.requests).toEqual([{ id: before?.id, becomes: 'asked_anew' }]);
    const after = await waitUntil(async () => {
      const [request] = await run.pending();
      return request?.message === 'Really?' && request;
    });
    expect(after.id).toBe(before?.id);
    expect(after.votes ?? []).toEqual([]);
    expect(after.digest).not.toBe(before?.digest);
    await run.decide({ request: after.id, value: true, by: 'ben' });
    await run.decide({ request: after.id, value: true, by: 'ann' });
    expect(await run.result()).toMatchObject({ ok: true });
    expect((await run.status()).changes).toMatchObject([{ open: { '1': 'asked_anew' } }]);
    await executionsOf(run);
  });

  it('is withdrawn where the new source asks no more, and that is said', async () => {
    const run = await start(asked);
    await pendingOf(run);
    const source = edit(
      'Human.approve{ message = "Go on?", approvers = { "ann", "ben" }, quorum = 2 }',
      'true',
    );
    const moved = await upgradeRun(run, source, { mayAskAnew: true });
    expect(moved.plan?.requests).toMatchObject([{ becomes: 'gone' }]);
    expect(await run.result()).toEqual({ first: 1, ok: true, by: 'old' });
    expect(await run.pending()).toEqual([]);
    await executionsOf(run);
  });
});

describe('an agent in conversation', () => {
  const chat = (system: string, more = ''): ProcedureSource =>
    procedureSource(`writer = Agent { model = "openai/gpt-x", system_prompt = "${system}" }
Procedure { function()
  writer("One")
  Human.approve("Go on?")
  writer("Two")
  ${more}
  return "done"
end }`);

  it('goes on with the new prompt and the old conversation, and the prompt is listed', async () => {
    const run = await start(chat('You write.'));
    await pendingOf(run);
    const moved = await upgradeRun(run, chat('You write well.'));
    expect(moved.plan?.changed).toEqual([
      { position: '0.0', type: 'model_call', name: 'writer', settings: ['system_prompt'] },
    ]);
    expect(moved).toMatchObject({ verdict: 'fits', moved: true });
    await approve(run);
    expect(await run.result()).toBe('done');
    const bodies = around.provider.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain('You write well.');
    expect(bodies[1]).toContain('One');
    expect(bodies[1]).toContain('said');
    expect((await run.status()).changes).toMatchObject([{ changed: [{ settings: ['system_prompt'] }] }]);
    await executionsOf(run);
  });

  it('stays as it was where no setting may differ, but for those that are named', async () => {
    const run = await start(chat('You write.'));
    await pendingOf(run);
    const strict = await upgradeRun(run, chat('You write well.'), { strict: true });
    expect(strict).toMatchObject({
      ...{ verdict: 'fits', moved: false },
      message: expect.stringContaining('system_prompt of writer at 0.0') as unknown,
    });
    expect(
      await run.handle.executeUpdate('upgrade', {
        args: [{ source: chat('You write well.'), strict: true }],
      }),
    ).toMatchObject({ verdict: 'fits', moved: false });
    const accepted = { strict: true, accept: ['system_prompt'] };
    expect(await upgradeRun(run, chat('You write well.'), accepted)).toMatchObject({ moved: true });
    await approve(run);
    expect(await run.result()).toBe('done');
    await executionsOf(run);
  });
});

describe('what was said already, or comes too late', () => {
  it('a run that has the source, or has ended, is left alone', async () => {
    const run = await start(procedureOf('return Human.approve("Go?")'));
    await pendingOf(run);
    const same = procedureOf('return Human.approve("Go?")');
    expect(await upgradeRun(run, same)).toMatchObject({ verdict: 'fits', moved: false, plan: null });
    await approve(run);
    await run.result();
    expect(await upgradeRun(run, procedureOf('return 1'))).toMatchObject({ verdict: 'ended', moved: false });
  });

  it('several changes go one after the other, and all are on record', async () => {
    const run = await start(asked);
    await pendingOf(run);
    const sources = [1, 2, 3].map((n) => edit('"old"', `"v${n}"`));
    const moved = await Promise.all(sources.map((source) => upgradeRun(run, source)));
    expect(moved.map(({ moved: is }) => is)).toEqual([true, true, true]);
    const { changes = [] } = await run.status();
    expect(changes).toHaveLength(3);
    expect(changes.slice(1).map(({ from }) => from)).toEqual(changes.slice(0, -1).map(({ to }) => to));
    await run.cancel();
    await executionsOf(run);
  });
});
