import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../../src/contract/json.js';
import type { RunView } from '../../src/contract/run-view.js';
import { executablePaths } from '../support/executable-paths.js';

const command = fileURLToPath(new URL('../../bin/tactus-temporal.mjs', import.meta.url));

export interface CommandOptions {
  address: string;
  folder: string;
  entry: string;
  input: JsonValue;
  answers: JsonValue[];
}

/** `tactus-temporal run --json` on a server and a worker that are there; what it writes to stdout. */
export function runCommand({ address, folder, entry, input, answers }: CommandOptions): Promise<RunView> {
  const responses = answers.flatMap((answer) => ['--respond', JSON.stringify(answer)]);
  const args = [
    command,
    'run',
    entry,
    '--json',
    '--address',
    address,
    '--input',
    JSON.stringify(input),
    ...responses,
  ];
  return new Promise((resolve, reject) => {
    execFile(executablePaths().node, args, { cwd: folder, timeout: 60_000 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as RunView);
      } catch {
        reject(new Error(`no JSON came: ${stdout.slice(0, 500)} ${stderr.slice(0, 1_000)}`));
      }
    });
  });
}
