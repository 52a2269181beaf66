import type { ChildProcess } from 'node:child_process';
import type { CliFolder } from './cli-folder.js';
import { waitUntil } from './wait-until.js';

interface Line {
  time: string;
  level: string;
  message: string;
  [field: string]: unknown;
}

/** `worker` or `serve`, as a process that logs JSON. */
export interface Service {
  child: ChildProcess;
  /** What it has written to stderr: each line is JSON, or the test fails. */
  lines: () => Line[];
  /** Where it answers probes, or listens. */
  url: string;
  ended: Promise<number | null>;
}

/** Starts one, and waits until it has said its address. @param urlIn has the address as its first group */
export async function startService(folder: CliFolder, args: string[], urlIn: RegExp): Promise<Service> {
  const child = folder.start([...args, '--log-format', 'json', '--log-level', 'debug']);
  let [out, said] = ['', ''];
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const url = await waitUntil(() => Promise.resolve(urlIn.exec(said + out)?.[1] ?? null));
  return {
    child,
    url,
    ended,
    lines: () =>
      said
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
  };
}

/** Where a worker answers probes. */
export const healthUrl = /Health: (http:\/\/127\.0\.0\.1:\d+)\/livez/;
