import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportRun } from '../../../src/client/runs/export-run.js';
import { readImport } from '../../../src/client/runs/import/read-import.js';
import { isObject, type JsonObject, type JsonValue } from '../../../src/contract/json/json.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { referenceRun } from '../../support/reference-run.js';
import { pythonOr } from '../../support/python.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
const python = await pythonOr('the storage of the reference with an exported run');
interface LoadedByReference {
  /** As its models print themselves. */
  metadata: JsonObject & { execution_log: JsonObject[] };
  /** Saved and loaded again it is the same. */
  same: boolean;
  /** Python's names of the types of results. */
  types: string[];
}

let worker: TestWorker;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tactus-export-'));
  worker = await startWorker(around.server, { activities: { env: around.env } });
  around.provider.reply(() => ({ text: 'Ships sail.' }));
});

afterAll(async () => {
  await worker.stop();
  rmSync(folder, { recursive: true });
});

const everything = procedureOf(`
  local writer = Agent { model = "openai/gpt-4o-mini", system_prompt = "Write." }
  state.topic = "ships"
  local text = step("write", function() return writer("Write about " .. state.topic).output end)
  local made = checkpoint(function() return { n = math.random(), list = { 1, "zwei ✓" } } end)
  local failed = pcall(function() step("bad", function() error("no") end) end)
  local name = Human.input({ message = "Who?" })
  local ok = Human.approve("Publish?")
  return { text = text, made = made, failed = failed, name = name, ok = ok }`);

/** Of what both have in their own words: times, and who answered. */
function plain(value: JsonValue | undefined, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((each) => plain(each));
  if (typeof value === 'string' && /^(timestamp|responded_at)$/.test(key)) return Date.parse(value);
  if (!isObject(value ?? null)) return value ?? null;
  const fields = Object.entries(value as JsonObject).filter(([name]) => !name.startsWith('__'));
  return Object.fromEntries(fields.map(([name, each]) => [name, plain(each, name)]));
}

async function waitingRun(runId: string) {
  const run = await around.server.tactus.start(everything, {}, { runId });
  const [request] = await pendingOf(run);
  await run.decide({ request: request?.id ?? '', value: 'Ann' });
  await waitUntil(async () => (await run.status()).pending[0]?.message === 'Publish?');
  return run;
}

describe.skipIf(python === null)('an exported run', () => {
  it('is loaded by the reference with every field as it is', async () => {
    const run = await waitingRun('exported');
    const record = await around.server.tactus.export(run.runId);
    expect(record).toMatchObject({
      ...{ procedure_id: 'exported', status: 'WAITING_FOR_HUMAN', waiting_on_message_id: 'exported/4' },
      ...{ replay_index: 4, state: { topic: 'ships' } },
    });
    expect(record.execution_log.map(({ type }) => type)).toEqual([
      ...['step', 'explicit_checkpoint', 'step', 'hitl_input'],
    ]);
    writeFileSync(join(folder, 'exported.json'), JSON.stringify(record));
    const loaded = await python?.script<LoadedByReference>('loaded.py', [folder, 'exported']);
    expect(plain(loaded?.metadata)).toEqual(plain(record as unknown as JsonValue));
    expect(loaded?.types.at(-1)).toBe('HITLResponse');
    expect(loaded?.same).toBe(true);
    await run.cancel();
  });
});

describe('what was exported', () => {
  it('is gone on with here, with nothing done again', async () => {
    const before = await waitingRun('first');
    const record = JSON.stringify(await around.server.tactus.export('first'));
    await before.cancel();
    around.provider.requests.length = 0;
    const run = await around.server.tactus.import(record, { runId: 'second' });
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({ id: 'second/4', message: 'Publish?' });
    await run.decide({ request: 'second/4', value: true });
    expect(await run.result()).toMatchObject({ text: 'Ships sail.', failed: false, name: 'Ann', ok: true });
    expect(around.provider.requests).toEqual([]);
    const [entries] = [(await before.log()).execution_log.slice(0, 6)];
    const again = (await run.log()).execution_log.slice(0, 6);
    expect(again.map(({ position, result }) => [position, result])).toEqual(
      entries.map(({ position, result }) => [position, result]),
    );
  });

  it('may have another source, where that fits', async () => {
    const record = JSON.stringify(await around.server.tactus.export('second'));
    const files = (from: string, to: string): { 'main.tac': string } => ({
      'main.tac': (everything.files['main.tac'] ?? '').replace(from, to),
    });
    const other = { entry: 'main.tac', files: files('Publish?', 'Print?') };
    await expect(readImport(record, { source: other })).rejects.toMatchObject({
      code: 'non_determinism',
      details: { position: '4' },
    });
    const longer = { entry: 'main.tac', files: files('return { text', 'Human.input("And?") return { text') };
    await expect(readImport(record, { source: longer })).resolves.toMatchObject({
      asked: [{ position: '5', type: 'hitl_input', name: 'And?' }],
    });
  });

  it('is whole however large the log is', async () => {
    const run = await around.server.tactus.start(
      procedureOf(`for i = 1, 30 do checkpoint(function() return ("%d "):format(i):rep(40000) end) end
        return Human.approve("Go on?")`),
      {},
      { runId: 'large' },
    );
    await pendingOf(run);
    const record = await around.server.tactus.export('large');
    expect(record.execution_log).toHaveLength(30);
    expect(record.execution_log[29]?.result).toBe('30 '.repeat(40_000));
    await expect(readImport(JSON.stringify(record), {})).resolves.toMatchObject({ answers: 30, left: 0 });
    await run.cancel();
  });

  it('has what a run was imported with and has not come to', async () => {
    const { record } = await referenceRun('unrecorded');
    const source = procedureOf(`
      local mark = checkpoint(function() return "anew" end)
      Sleep(3600)
      return { mark, checkpoint(function() return "anew" end), Human.approve("Go on?") }`);
    const run = await around.server.tactus.import(record, { source, allowsChanges: true, runId: 'asleep' });
    await waitUntil(async () => (await run.status()).checkpoints === 1);
    const exported = JSON.stringify(await around.server.tactus.export('asleep'));
    await expect(readImport(exported, {})).resolves.toMatchObject({ answers: 2, left: 1 });
    await run.cancel();
  });

  it('shows how the run ended, and nothing of one that hides its content', async () => {
    const ended = await around.server.tactus.start(procedureOf('error("no")'), {}, { runId: 'failed' });
    await ended.result().catch(() => undefined);
    expect(await around.server.tactus.export('failed')).toMatchObject({
      ...{ status: 'FAILED', waiting_on_message_id: null, execution_log: [] },
    });
    const settings = { showContent: false };
    await around.server.tactus.start(
      procedureOf('return Human.approve("?")'),
      {},
      { runId: 'hidden', settings },
    );
    await expect(around.server.tactus.export('hidden')).rejects.toMatchObject({ code: 'usage' });
    await around.server.tactus.attach('hidden').cancel();
  });
});

it('a run that goes on while it is exported has the state that its log leads to', async () => {
  const counting = procedureOf(`
    for i = 1, 15 do
      Step.checkpoint(function() state.n = i return i end)
      Sleep(0.3)
    end`);
  const run = await around.server.tactus.start(counting, {});
  const seen: { state: JsonValue; steps: number }[] = [];
  await waitUntil(async () => {
    const { state, status, execution_log: log } = await exportRun(run);
    const steps = log.filter(({ type }) => type === 'explicit_checkpoint').length;
    seen.push({ state: state['n'] ?? 0, steps });
    return status === 'COMPLETED';
  }, 60_000);
  expect(seen.filter(({ state, steps }) => state !== steps)).toEqual([]);
  expect(new Set(seen.map(({ steps }) => steps)).size).toBeGreaterThan(3);
});
