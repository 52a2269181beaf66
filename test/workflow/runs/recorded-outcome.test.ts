import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { startBrokenWorker } from '../../support/broken-worker.js';
import { startChildWorker } from '../../support/child-worker.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { procedureSource } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/** How runs ended that nobody can replay any more: the server has recorded it. */

let server: TestServer;
let folder: CliFolder;

beforeAll(async () => {
  server = await startDevServer();
  folder = cliFolder();
  const place = { address: server.env.address, taskQueue: 'tactus', filesRoot: folder.path };
  // In a process of its own: one that has ended polls no more.
  const worker = await startChildWorker(place);
  const done = procedureSource('function main() print("hello") state.n = 1 return { a = 1 } end');
  const failing = procedureSource('function main()\n  error("boom")\nend');
  const long = procedureSource('for i = 1, 6 do Sleep(0.01) end return { n = 6 }');
  await server.tactus.execute(done, {}, { runId: 'done' });
  await server.tactus.execute(long, {}, { runId: 'long', limits: { historyEvents: 12 } });
  const failed = server.tactus.execute(failing, {}, { runId: 'failed' });
  await expect(failed).rejects.toThrow('boom');
  await worker.kill();
});
afterAll(() => server?.stop());

async function cli(args: string[], code: number): Promise<JsonObject> {
  const ended = await folder.run([...args, '--json', '--address', server.env.address]);
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
  return ended.json();
}

const failure = {
  ...{ code: 'lua_error', file: 'main.tac', line: 2 },
  message: expect.stringContaining('boom') as string,
  traceback: expect.stringContaining('main.tac:2') as string,
};

async function saysHowTheyEnded(why: string): Promise<void> {
  const incomplete = expect.stringContaining(why) as string;
  expect(await server.tactus.attach('done').result()).toEqual({ a: 1 });
  expect(await server.tactus.attach('long').result()).toEqual({ n: 6 });
  const { line, traceback } = failure;
  await expect(server.tactus.attach('failed').result()).rejects.toMatchObject({
    ...{ code: 'lua_error', details: { file: 'main.tac', line, traceback } },
  });
  for (const command of ['result', 'status']) {
    const ended = { status: 'completed', output: { a: 1 }, error: null, stuck: null, incomplete };
    expect(await cli([command, 'done'], 0), command).toMatchObject(ended);
    expect(await cli([command, 'long'], 0), command).toMatchObject({ output: { n: 6 }, incomplete });
    const code = command === 'result' ? 1 : 0;
    const expected = { status: 'failed', output: null, error: failure, incomplete };
    expect(await cli([command, 'failed'], code), command).toMatchObject(expected);
  }
  const plain = await folder.run(['result', 'done', '--address', server.env.address]);
  expect(plain).toMatchObject({ code: 0, stdout: '{\n  "a": 1\n}\n' });
  expect(plain.stderr).toContain(why);
}

describe('the recorded outcome', () => {
  it('is told where no worker is there', async () => {
    await saysHowTheyEnded('No worker answers');
    expect(await cli(['log', 'done'], 4)).toMatchObject({ error: { code: 'no_worker' } });
  });

  it('is told where the worker there is can replay nothing', async () => {
    const worker: TestWorker = await startBrokenWorker(server);
    await saysHowTheyEnded('undefined is not a deploy');
    for (const command of ['log', 'state']) {
      const { error } = await cli([command, 'done'], 1);
      expect(error, command).toMatchObject({ code: 'internal' });
      expect(JSON.stringify(error)).toContain("can't replay the run done: undefined is not a deploy");
    }
    await worker.stop();
  });

  it('comes with all the rest where a worker is there that can', async () => {
    const worker = await startWorker(server);
    const view = await cli(['status', 'done'], 0);
    expect(view).toMatchObject({ output: { a: 1 }, state: { n: 1 }, printed: ['hello'], stuck: null });
    expect(view).not.toHaveProperty('incomplete');
    await worker.stop();
  });
});
