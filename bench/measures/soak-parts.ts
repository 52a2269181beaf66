import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { commandPart, type Part } from '../../test/support/part.ts';

/** A command that is killed at any time, and started again. */
export interface SoakPart extends Part {
  /** Memory of its process now. */
  bytes(): number;
}

/** `isReady`: what the command says when it does its work. */
export function soakPart(
  name: string,
  command: readonly string[],
  { cwd, env = {}, isReady }: { cwd: string; env?: Record<string, string>; isReady: RegExp },
): SoakPart {
  // Without servers and keys of the person who measures.
  const variables = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...env };
  let child: ChildProcess | undefined;
  const begin = (): ChildProcess =>
    (child = spawn(process.execPath, command, { cwd, env: variables, stdio: 'pipe' }));
  return {
    ...commandPart(name, begin, ({ stdout, stderr }) => isReady.test(stdout) || isReady.test(stderr)),
    bytes: () => 1_024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child?.pid)]).toString()),
  };
}
