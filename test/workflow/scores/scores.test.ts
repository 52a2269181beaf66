import { expect, it } from 'vitest';
import { readShownStart } from '../../../src/client/runs/exact-log.js';
import { scoresType } from '../../../src/contract/names.js';
import { variantFor } from '../../../src/contract/scores/experiment.js';
import { scoresWorkflowId } from '../../../src/contract/scores/score.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithWorker(startDevServer);

it('a run is scored while it is open and after its end, and the newest of a name and a person holds', async () => {
  const { scores } = around.tactus;
  const source = procedureOf('Procedure.score("own", true) return Human.approve("Go?")');
  const run = await around.tactus.start(source, {}, { runId: 'scored' });
  await waitUntil(async () => (await run.status()).status === 'waiting_for_human');
  await scores.add('scored', 'quality', 0.5, { by: 'ann', comment: 'so so' });
  await run.decide({ request: 'scored/1', value: true });
  await run.result();
  await scores.add('scored', 'quality', 0.25, { by: 'bob' });
  await scores.add('scored', 'quality', 0.9, { by: 'ann', id: 'once' });
  // Sent again, it is the same.
  const all = await scores.add('scored', 'quality', 0.9, { by: 'ann', id: 'once' });
  expect(all).toMatchObject({
    run_id: 'scored',
    scores: [
      { name: 'own', value: true, by: 'procedure' },
      { name: 'quality', value: 0.25, by: 'bob' },
      { name: 'quality', value: 0.9, by: 'ann', comment: null },
    ],
    earlier: [{ value: 0.5, by: 'ann', comment: 'so so' }],
  });
  expect(await scores.read('scored')).toEqual(all);
  expect(await replayRun(around.client, run)).toEqual([]);
});

it('scores outlive the execution that keeps them, and others can not pass for it', async () => {
  const { scores } = around.tactus;
  const run = await around.tactus.start(procedureOf('return 1'), {}, { runId: 'often' });
  await run.result();
  for (let i = 0; i < 110; i++) await scores.add('often', 'quality', i, { by: i === 3 ? 'ann' : 'bob' });
  const handle = around.client.workflow.getHandle(scoresWorkflowId('often'));
  await waitUntil(async () => (await handle.describe()).historyLength < 100);
  const { scores: held, earlier } = await scores.read('often');
  expect(held.map(({ value }) => value)).toEqual([3, 109]);
  expect(earlier).toHaveLength(108);
  const wrong = around.client.workflow.execute(scoresType, {
    ...{ args: [{ runId: 'other' }], workflowId: 'no-such-id', taskQueue: around.tactus.taskQueue },
  });
  await expect(wrong).rejects.toMatchObject({ cause: { type: 'usage' } });
  await expect(scores.add('nobody', 'quality', 1)).rejects.toMatchObject({ code: 'run_not_found' });
  await expect(scores.add('often', 'quality', NaN)).rejects.toMatchObject({ code: 'usage' });
});

const experiment = procedureOf(`
  local tone = Experiment.variant("tone", {"plain", "warm"})
  Sleep(0.01)
  return Human.approve("In a " .. tone .. " tone?")`);

it('a run keeps its variant for ever; a fork keeps what is in its log, and else draws its own', async () => {
  const run = await around.tactus.start(experiment, {}, { runId: 'varied', limits: { historyEvents: 10 } });
  await waitUntil(async () => (await run.status()).status === 'waiting_for_human');
  const tone = variantFor('tone', 'varied', { plain: 1, warm: 1 });
  expect((await run.status()).variants).toEqual({ tone });
  const other = Array.from({ length: 50 }, (_, i) => `fork-${i}`).find(
    (id) => variantFor('tone', id, { plain: 1, warm: 1 }) !== tone,
  );
  const kept = await around.tactus.fork('varied', { at: '1', runId: other ?? '' });
  await waitUntil(async () => (await kept.status()).status === 'waiting_for_human');
  expect((await kept.status()).variants).toEqual({ tone });
  const anew = await around.tactus.fork('varied', { at: '0', runId: `${other}-anew` });
  await waitUntil(async () => (await anew.status()).status === 'waiting_for_human');
  expect((await anew.status()).variants).toEqual({
    tone: variantFor('tone', anew.runId, { plain: 1, warm: 1 }),
  });
  expect((await readShownStart(run)).start.source).toEqual(experiment);
  for (const each of [run, kept, anew]) {
    const [request] = (await each.status()).pending;
    await each.decide({ request: request?.id ?? '', value: true });
    await each.result();
    expect(await replayRun(around.client, each)).toEqual([]);
  }
});

it('compares runs by version and by variant, with what they were scored, cost, took and decided', async () => {
  const { tactus } = around;
  const body = 'Experiment.variant("tone", {"plain", "warm"}) return Human.approve("Good?")';
  await tactus.published.publish('compared', procedureOf(body));
  await tactus.published.publish('compared', procedureOf(`local second = 2 ${body}`), { share: 50 });
  const versions = new Map<number, string[]>();
  for (let i = 0; i < 12; i++) {
    const run = await tactus.published.start('compared', {}, { runId: `compared-${i}` });
    await waitUntil(async () => (await run.status()).status === 'waiting_for_human');
    await run.decide({ request: `${run.runId}/1`, value: i % 3 === 0 });
    await run.result();
    const { published } = await run.status();
    versions.set(published?.version ?? 0, [...(versions.get(published?.version ?? 0) ?? []), run.runId]);
    await tactus.scores.add(run.runId, 'stars', published?.version === 1 ? 2 : 4 + (i % 2), { by: 'ann' });
    await tactus.scores.add(run.runId, 'good', i % 2 === 0, { by: 'bob' });
  }
  await tactus.start(procedureOf('return 1'), {}, { runId: 'not-published' });
  await waitUntil(async () => (await tactus.compare('compared', { by: 'version' })).runs === 12);
  await waitUntil(async () => {
    const { groups } = await tactus.compare('compared', { by: 'version' });
    return groups.every(({ runs, by_status }) => by_status.completed === runs);
  });
  const byVersion = await tactus.compare('compared', { by: 'version' });
  expect(byVersion).toMatchObject({ name: 'compared', by: 'version', is_cut: false });
  expect(byVersion.groups.map(({ group, runs }) => [group, runs])).toEqual(
    [...versions].sort(([a], [b]) => a - b).map(([version, runs]) => [String(version), runs.length]),
  );
  const [first] = byVersion.groups;
  const ofFirst = versions.get(1) ?? [];
  const approved = ofFirst.filter((id) => Number(id.split('-')[1]) % 3 === 0).length;
  expect(first).toMatchObject({
    scores: { stars: { count: ofFirst.length, mean: 2 }, good: { count: ofFirst.length } },
    cost_usd: { count: ofFirst.length, mean: 0 },
    seconds: { count: ofFirst.length },
    decisions: { decided: ofFirst.length, approved },
  });
  const { low = 0, high = 0 } = first?.scores['good'] ?? {};
  expect(high).toBeGreaterThan(low ?? 1);
  const byVariant = await tactus.compare('compared', { by: 'variant' });
  const tones = Array.from({ length: 12 }, (_, i) =>
    variantFor('tone', `compared-${i}`, { plain: 1, warm: 1 }),
  );
  expect(byVariant.groups.map(({ group, runs }) => [group, runs])).toEqual(
    ['plain', 'warm']
      .map((tone) => [`tone=${tone}`, tones.filter((each) => each === tone).length] as const)
      .filter(([, runs]) => runs > 0),
  );
  expect(await tactus.compare('compared', { by: 'version', limit: 5 })).toMatchObject({
    runs: 5,
    is_cut: true,
  });
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(await tactus.compare('compared', { by: 'version', since: later })).toMatchObject({
    runs: 0,
    groups: [],
  });
  await expect(tactus.compare('compared', { by: 'version', limit: 10_001 })).rejects.toThrow('1 to 10000');
});
