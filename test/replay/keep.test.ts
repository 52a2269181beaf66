import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workflowBundlePath } from '../../src/worker/bundles/workflow-bundle.js';
import { answerRequests } from '../support/answer-requests.js';
import { failedTasks } from '../support/histories.js';
import { historiesBelow } from '../support/histories-below.js';
import { keepBundle, keptBundle, keptVersions } from '../support/kept-bundle.js';
import { replayHistories } from '../support/replay-histories.js';
import { keptAnswer } from './kept-answer.js';
import { keptHistories, writeHistory } from './kept-histories.js';
import { keptProcedures } from './kept-procedures.js';
import { isFrom } from './kinds-of-version.js';
import type { KeptScene } from './kept-scenes.js';
import { nameOf, openKeptStage, type KeptStage } from './kept-stage.js';
import { updateManifest } from './manifest.js';

/**
 * Keeps the workflow bundle of this version and the histories that are missing of it, and does so only when asked, by
 * `KEEP_HISTORIES=1 npm test -- test/replay/keep`. What is there stays as it is: histories that are added to a version
 * later are made by the bundle that was kept of it.
 */
const isAsked = process.env['KEEP_HISTORIES'] !== undefined;

let version: string;
let workflowBundle: { codePath: string };
let stage: KeptStage;

beforeAll(async () => {
  if (!isAsked) return;
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  ({ version } = JSON.parse(manifest) as { version: string });
  if (!keptVersions().includes(version)) keepBundle(version, workflowBundlePath());
  workflowBundle = { codePath: keptBundle(version) };
  stage = await openKeptStage(workflowBundle);
});

afterAll(async () => {
  if (!isAsked) return;
  await stage.close();
  updateManifest();
});

describe.runIf(isAsked)('histories are kept', () => {
  it.each(keptProcedures)('of $entry', async (procedure) => {
    if (!isFrom(procedure.since ?? '0.1.0', version)) return;
    const { server, startWorker, stopWorker } = stage;
    const runId = nameOf(procedure);
    if (keptHistories().some((each) => each.version === version && each.workflowId === runId)) return;
    const scene: KeptScene = { server, run: server.tactus.attach(runId), startWorker, stopWorker };
    await procedure.before?.(scene);
    const run = await stage.start(procedure, runId);
    const during = procedure.during?.(scene);
    const answers = answerRequests(server.tactus, runId, keptAnswer);
    await during;
    const ended = await run.result().catch((error: unknown) => error);
    await answers.stop();
    expect((await run.status()).status, String(ended)).toBe(procedure.ends ?? 'completed');
    const histories = await historiesBelow(server.tactus, runId);
    expect(failedTasks(histories.map(({ history }) => history))).toEqual([]);
    for (let i = 0; i < 2; i++) expect(await replayHistories(histories, { workflowBundle })).toEqual([]);
    for (const { history, ...which } of histories)
      writeHistory({ version, ...which }, history, procedure.isLarge === true);
  });
});
