import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusRuntime } from '../../../src/client/runs/runtime/tactus-runtime.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import type { StorageBackend } from '../../../src/client/storage/storage-backend.js';
import { TemporalStorage } from '../../../src/client/storage/temporal-storage.js';
import { digestOf } from '../../../src/contract/effects/digest.js';
import { codeBlocks } from '../../support/code-blocks.js';
import { executablePaths } from '../../support/executable-paths.js';
import { procedureOf } from '../../support/procedure-source.js';
import { soonDeleted } from '../../support/soon-deleted.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** The runtime API of Tactus's design, and its records, over runs on Temporal. */

let server: TestServer;
let worker: TestWorker;
let runtime: TactusRuntime;
let storage: StorageBackend;
const mirror = new MemoryStorage();

beforeAll(async () => {
  server = await startDevServer({ extraArgs: soonDeleted });
  worker = await startWorker(server, { storage: mirror });
  runtime = new TactusRuntime({ client: server.tactus });
  storage = new TemporalStorage(server.tactus);
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

describe('TactusRuntime', () => {
  it('does what its page shows', async () => {
    // Inside the project, where `tactus-temporal` is the package that was built.
    const folder = temporaryFolder('runtime', fileURLToPath(new URL('../../../.toolchain', import.meta.url)));
    const [lua = ''] = codeBlocks('docs/runtime-api.md', 'lua');
    const [script = ''] = codeBlocks('docs/runtime-api.md', 'ts');
    writeFileSync(join(folder, 'deploy.tac'), lua);
    writeFileSync(join(folder, 'page.mts'), script.replace('localhost:7233', server.env.address));
    const { stdout } = await promisify(execFile)(executablePaths().node, ['page.mts'], { cwd: folder });
    const said = [...script.matchAll(/\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(said).toHaveLength(3);
    expect(stdout.trim().split('\n')).toEqual(said);
  });

  it('executes a file up to a person, and another process resumes it with the answer', async () => {
    const file = join(temporaryFolder('runtime'), 'deploy.tac');
    writeFileSync(
      file,
      `Procedure {
        input = { service = field.string { required = true } },
        output = { done = field.boolean {} },
        function(input)
          state.service = input.service
          local ok = Human.approve { message = "Deploy " .. input.service .. "?", context = { risk = "low" }, timeout = "24h", default_on_timeout = false, approvers = { "ann" } }
          return { done = ok }
        end
      }`,
    );
    const waiting = await runtime.execute(file, { service: 'web' }, { procedureId: 'deploy-1' });
    expect(waiting).toMatchObject({
      procedure_id: 'deploy-1',
      status: 'waiting_for_human',
      success: false,
      output: null,
      state: { service: 'web' },
      error: null,
      decision: null,
      pending_message_id: 'deploy-1/0',
      requests: [
        {
          request_id: 'deploy-1/0',
          procedure_id: 'deploy-1',
          request_type: 'approval',
          message: 'Deploy web?',
          default_value: false,
          options: null,
          metadata: { context: { risk: 'low' }, approvers: ['ann'] },
        },
      ],
    });
    const [request] = waiting.requests;
    expect(request?.timeout_seconds).toBeGreaterThan(86_000);
    expect(await runtime.getStatus('deploy-1')).toBe('waiting_for_human');

    const elsewhere = new TactusRuntime({ client: server.tactus });
    const given = { by: 'ann', comment: 'go', digest: request?.digest ?? '' };
    expect(await elsewhere.resume('deploy-1', { approved: true }, given)).toMatchObject({
      status: 'completed',
      success: true,
      output: { done: true },
      requests: [],
      pending_message_id: null,
      decision: { outcome: 'accepted' },
    });
    expect(await runtime.getStatus('deploy-1')).toBe('completed');
    expect(await runtime.getCheckpoint('deploy-1')).toMatchObject({
      status: 'COMPLETED',
      execution_log: [{ position: 0, type: 'hitl_approval', result: { value: true } }],
    });
    // The same id is the same run, whoever executes it.
    expect(await runtime.execute(file, { service: 'web' }, { procedureId: 'deploy-1' })).toMatchObject({
      output: { done: true },
    });
    await expect(runtime.execute(file, { service: 'db' }, { procedureId: 'deploy-1' })).rejects.toMatchObject(
      { code: 'run_conflict' },
    );
    await expect(runtime.execute(file, {})).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('service') as string,
    });
  });

  it('says what became of an answer, and that a procedure failed', async () => {
    const source = procedureOf(`
      local choice = Human.select { message = "Where?", options = { "eu", "us" } }
      error("no " .. choice)`);
    const { procedure_id: id, requests } = await runtime.execute(source);
    expect(requests).toMatchObject([
      {
        request_type: 'select',
        options: [
          { label: 'eu', value: 'eu' },
          { label: 'us', value: 'us' },
        ],
      },
    ]);
    const response = { value: 'asia', responded_at: new Date().toISOString(), timed_out: false };
    expect(await runtime.resume(id, response)).toMatchObject({
      status: 'waiting_for_human',
      decision: { outcome: 'invalid' },
    });
    expect(await runtime.resume(id, 'eu', { digest: digestOf('something else') })).toMatchObject({
      decision: { outcome: 'invalid' },
    });
    expect(await runtime.resume(id, { ...response, value: 'us' })).toMatchObject({
      status: 'failed',
      success: false,
      decision: { outcome: 'accepted' },
      error: { code: 'lua_error', line: 4, message: expect.stringContaining('no us') as string },
    });
    await expect(runtime.resume(id, 'eu')).rejects.toMatchObject({ code: 'request_unknown' });
    expect(await runtime.resume(id)).toMatchObject({ status: 'failed', decision: null });
    await expect(runtime.getStatus('nobody')).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('answers one of several requests by its name, also one of a run below', async () => {
    const child = procedureOf('return Human.input("Below?")').files['main.tac'] ?? '';
    const source = procedureOf(
      `return Parallel.map({ true, false }, function(here)
        if here then return Human.approve("Here?") end
        return Procedure.run("child.tac", {})
      end)`,
      { 'child.tac': child },
    );
    const { procedure_id: id } = await runtime.execute(source, {}, { procedureId: 'several' });
    await waitUntil(async () => (await server.tactus.pending(id)).length === 2);
    await expect(runtime.resume(id, true)).rejects.toMatchObject({ code: 'usage' });
    const { requests } = await runtime.resume(id);
    expect(requests.map(({ message }) => message).sort()).toEqual(['Below?', 'Here?']);
    const named = (text: string): string =>
      requests.find(({ message }) => message === text)?.request_id ?? '';
    const first = await runtime.resume(id, true, { request: named('Here?') });
    expect(first).toMatchObject({ requests: [{ message: 'Below?' }], decision: { outcome: 'accepted' } });
    expect(await runtime.resume(id, 'deep', { request: named('Below?') })).toMatchObject({
      output: [true, 'deep'],
    });
  });

  it('stops waiting when it is told to, and the procedure goes on', async () => {
    const source = procedureOf('Sleep(30) return 1');
    const over = new AbortController();
    const executed = runtime.execute(source, {}, { procedureId: 'sleeps', signal: over.signal });
    await waitUntil(async () => (await runtime.getStatus('sleeps').catch(() => '')) === 'waiting_for_time');
    over.abort(new Error('enough'));
    await expect(executed).rejects.toThrow('enough');
    expect(await runtime.getStatus('sleeps')).toBe('waiting_for_time');
    await server.tactus.attach('sleeps').terminate();
  });

  it('reads records where it is told to', async () => {
    const mirrored = new TactusRuntime({ client: server.tactus, storage: mirror });
    await mirror.saveCheckpoint('only here', { state: { a: 1 } });
    expect(await mirrored.getCheckpoint('only here')).toMatchObject({ state: { a: 1 } });
    expect(await runtime.getCheckpoint('only here')).toBeNull();
  });
});

describe('TemporalStorage', () => {
  it('has every field that the mirror has, of runs that wait, failed, were ended, and continued as new', async () => {
    const work = procedureOf(`
      local guess = Model { type = "mock", value = { text = "grün 😀 \\0" } }
      for i = 1, 30 do
        state["key " .. i] = guess({ n = i }).output.text
        Step.checkpoint(function() return { i, { deep = { i } } } end)
      end
      pcall(function() Model { type = "http", endpoint = "http://127.0.0.1:1" }({}) end)
      if input.fails then error("on purpose") end
      return Human.approve("Go on?")`);
    const ids = ['eq-ended', 'eq-failed', 'eq-waits'];
    const limits = { historyEvents: 60 };
    for (const runId of ids)
      await server.tactus.start(work, { fails: runId === 'eq-failed' }, { runId, limits });
    const status = async (runId: string): Promise<string> =>
      (await mirror.loadProcedureMetadata(runId)).status;
    await waitUntil(async () => (await status('eq-failed')) === 'FAILED');
    for (const runId of ['eq-waits', 'eq-ended'])
      await waitUntil(async () => (await status(runId)) === 'WAITING_FOR_HUMAN');
    for (const runId of ids)
      expect(await storage.loadCheckpoint(runId)).toStrictEqual(await mirror.loadCheckpoint(runId));
    const { replay_index, execution_log: log } = await storage.loadProcedureMetadata('eq-waits');
    expect(replay_index).toBe(61);
    expect(log[0]?.input_hash).toEqual(expect.any(String));

    // Of this the mirror hears nothing.
    await server.tactus.attach('eq-ended').terminate();
    expect(await storage.loadCheckpoint('eq-ended')).toMatchObject({
      status: 'TERMINATED',
      replay_index: 61,
      waiting_on_message_id: null,
    });
    expect(await storage.getState('eq-waits')).toMatchObject({ 'key 30': 'grün 😀 \0' });

    const listed = async (filter: object): Promise<string[]> =>
      await storage.listCheckpoints({ prefix: 'eq-', ...filter });
    await waitUntil(async () => (await listed({ status: 'TERMINATED' })).length === 1);
    expect(await listed({})).toEqual(ids);
    expect(await listed({ status: 'WAITING_FOR_HUMAN' })).toEqual(['eq-waits']);
    expect(await listed({ status: 'FAILED' })).toEqual(['eq-failed']);
    expect(await listed({ status: 'no status' })).toEqual([]);
    expect(await listed({ limit: 2 })).toEqual(['eq-ended', 'eq-failed']);
    expect(await listed({ limit: 2, after: 'eq-failed' })).toEqual(['eq-waits']);
    await expect(listed({ limit: 0 })).rejects.toMatchObject({ code: 'usage' });
  });

  it('has nothing of what is no run, and takes no writing', async () => {
    expect(await storage.loadCheckpoint('nobody')).toBeNull();
    expect(await storage.loadProcedureMetadata('nobody')).toMatchObject({ execution_log: [], state: {} });
    expect(await storage.getState('nobody')).toEqual({});
    await storage.deleteCheckpoint('nobody');
    const record = await storage.loadProcedureMetadata('nobody');
    for (const written of [
      storage.saveProcedureMetadata('nobody', record),
      storage.saveCheckpoint('nobody', {}),
      storage.updateProcedureStatus('nobody', 'COMPLETED'),
      storage.setState('nobody', {}),
      storage.stateSet('nobody', 'a', 1),
    ])
      await expect(written).rejects.toMatchObject({ code: 'usage' });
    await expect(storage.loadCheckpoint('')).rejects.toMatchObject({ code: 'usage' });
  });

  it('deletes a run that has ended with all its executions, and none that goes on', async () => {
    const source = procedureOf(`
      for i = 1, 30 do checkpoint(function() return i end) end
      return Human.approve("Go on?")`);
    const options = { runId: 'deleted', limits: { historyEvents: 30 } };
    const run = await server.tactus.start(source, {}, options);
    await waitUntil(async () => (await run.pending()).length === 1);
    await expect(storage.deleteCheckpoint('deleted')).rejects.toMatchObject({ code: 'usage' });
    const [request] = await run.pending();
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toBe(true);
    await waitUntil(async () => (await storage.listCheckpoints({ prefix: 'deleted' })).length === 1);
    await storage.deleteCheckpoint('deleted');
    await waitUntil(async () => (await storage.loadCheckpoint('deleted')) === null);
    await waitUntil(async () => {
      for await (const left of server.client.workflow.list({ query: "WorkflowId = 'deleted'" }))
        if (left.workflowId === 'deleted') return false;
      return true;
    });
  });
});
