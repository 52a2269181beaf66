import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { isWhole } from '../support/sampled.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { Findings } from './findings.js';

/** What a busy machine takes at most for all of the calls. */
const patienceMs = isWhole ? 1_800_000 : 180_000;
/** The part of all calls that is made: all of them take minutes. */
const share = isWhole ? '1' : '0.015';

it(
  'charges every function for what it reads and makes, whatever it is given',
  { timeout: patienceMs },
  async () => {
    const runner = join(temporaryFolder('every-function'), 'run.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'run-every-function.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: runner,
    });
    const found = await findings(runner);
    expect(found.functions).toBeGreaterThan(300);
    expect(found.calls).toBeGreaterThan(1_000);
    expect(found.broken).toEqual([]);
    expect(found.slow).toEqual([]);
    expect(found.large).toEqual([]);
  },
);

function findings(runner: string): Promise<Findings> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [runner, share], { timeout: patienceMs, killSignal: 'SIGKILL' });
    let text = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    child.stderr.on('data', (chunk) => (complaint += String(chunk)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(text) as Findings);
      else reject(new Error(`the process ended by ${signal ?? code}: ${complaint.slice(-500)}`));
    });
  });
}
