import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { isAlive } from '../../support/is-alive.js';
import { pythonOr } from '../../support/python.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

/** `worker --python` makes an environment, and keeps a worker in Python beside the one in TypeScript. */

const found = await pythonOr('worker --python');
let folder: CliFolder;

beforeAll(() => {
  // No environment is there yet. It is made as users have it made, by venv and pip.
  folder = cliFolder({ TACTUS_TEMPORAL_CACHE: temporaryFolder('python-cache') });
  folder.write(
    'shop.py',
    'import os\nfrom tactus_temporal.worker import model_function\n\n' +
      '@model_function("worker")\ndef worker(_):\n    return os.getppid()\n',
  );
  folder.write(
    '.tactus/config.yml',
    'warm_models:\n  - { type: onnx, path: none.onnx }\n  - { type: naive_bayes, name: none, trusted: true }\n',
  );
  folder.write(
    'ask.tac',
    'Procedure { function() return model { type = "python", name = "worker" } (1) end }',
  );
});
afterAll(() => folder?.close());

/** The process that has asked the model's: the worker in Python. */
async function pidOfWorker(): Promise<number> {
  const { stderr, json } = await folder.runHere(['run', 'ask.tac', '--json', '--timeout', '60s']);
  const { output } = json();
  if (typeof output !== 'number') throw new Error(stderr);
  return output;
}

describe.skipIf(found === null)('worker --python', () => {
  const python = ['worker', '--python', '--python-extra', 'none', '--python-module', 'shop'];

  it(
    'serves models of Python, starts the worker again that dies, and ends with it',
    { timeout: 240_000 },
    async () => {
      const child = folder.start(python);
      let said = '';
      child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
      const ended = new Promise<number | null>((done) => child.on('close', done));
      await waitUntil(() => Promise.resolve(said.includes('[python] Models below')), 120_000).catch(() => {
        throw new Error(said);
      });
      expect(said).toMatch(/Making an environment for Python in .*python-worker-/);
      // Both of them look for what they are to have in memory, and work without it.
      await waitUntil(() =>
        Promise.resolve(
          said.includes('could not be loaded ahead: the registry has no version latest of a model none') &&
            /could not be loaded ahead.*none\.onnx doesn't exist/s.test(said),
        ),
      ).catch(() => {
        throw new Error(said);
      });
      const first = await pidOfWorker();
      process.kill(first, 'SIGKILL');
      await waitUntil(() =>
        Promise.resolve(said.includes('has ended (killed), and is started again in 1 s')),
      );
      const second = await pidOfWorker();
      expect(second).not.toBe(first);
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(isAlive(second)).toBe(false);
    },
  );

  it(
    'is found ready the next time, and leaves nothing behind where it is killed',
    { timeout: 120_000 },
    async () => {
      const child = folder.start(python);
      let said = '';
      child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
      await waitUntil(() => Promise.resolve(said.includes('[python] Models below')), 60_000);
      expect(said).not.toContain('Making an environment');
      const pid = await pidOfWorker();
      child.kill('SIGKILL');
      await waitUntil(() => Promise.resolve(!isAlive(pid)));
    },
  );

  it(
    'loads nothing that a procedure has written, and refuses folders that overlap',
    { timeout: 120_000 },
    async () => {
      // A pickle in plain text, which runs a command as it is read.
      folder.write(
        'evil.tac',
        `Evil = Model "evil" { type = "sklearn", path = "model.pkl", trusted = true, timeout = "20s", retries = 0 }
Procedure { function()
  File.write("model.pkl", "cposix\\nsystem\\np0\\n(Vtouch PWNED\\np1\\ntp2\\nRp3\\n.")
  local _, why = pcall(function() return Evil({1, 2}) end)
  return tostring(why)
end }`,
      );
      folder.write('models/mine.txt', 'mine');
      const child = folder.start(['worker', '--python', '--python-extra', 'none', '--trust', '.']);
      let said = '';
      child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
      const ended = new Promise<number | null>((done) => child.on('close', done));
      await waitUntil(() => Promise.resolve(said.includes('[python] Models below')), 60_000);
      const { output } = (await folder.runHere(['run', 'evil.tac', '--json', '--timeout', '60s'])).json();
      expect(output).toContain("model.pkl doesn't exist (folder of models: ");
      expect(folder.read('files/model.pkl')).toContain('cposix');
      expect(existsSync(join(folder.path, 'PWNED'))).toBe(false);
      child.kill('SIGTERM');
      await ended;
      for (const flags of [
        ['--files', '.'],
        ['--models', 'files'],
        ['--models', 'files/below'],
        ['--models', '.'],
      ]) {
        const refused = await folder.runHere(['worker', '--python', '--python-extra', 'none', ...flags]);
        expect([refused.code, refused.stderr]).toEqual([
          2,
          expect.stringContaining('Procedures can write to the folder of models'),
        ]);
      }
    },
  );

  it('says what it can not start with', { timeout: 120_000 }, async () => {
    const { code, stderr } = await folder.runHere([
      'worker',
      '--python',
      '--python-extra',
      'none',
      '--python-module',
      'none',
    ]);
    expect(stderr).toContain("A module of the worker can't be imported");
    expect(stderr).toContain('The worker in Python does not start: see above');
    expect(code).toBe(2);
    // What the worker in TypeScript is at isn't broken off for that.
    expect(stderr).toContain('Ending …');
    const gone = await folder.runHere(['worker', '--python', '--json'], {
      env: { TACTUS_TEMPORAL_PYTHON: join(folder.path, 'gone') },
    });
    expect([gone.code, gone.json()]).toMatchObject([
      2,
      { error: { code: 'config_invalid', message: expect.stringMatching(/gone ENOENT/) as unknown } },
    ]);
    const wrong = await folder.runHere(['worker', '--python', '--python-extra', 'keras']);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('sklearn, pytorch, transformers, none'),
    ]);
  });
});
