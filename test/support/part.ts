import type { ChildProcess } from 'node:child_process';

/** A process that can be killed at any time, and started again. */
export interface Part {
  name: string;
  /** Resolves when it does its work. */
  start(): Promise<void>;
  /** SIGKILL, and the wait until it is gone. @throws Error where it had ended by itself */
  kill(): Promise<void>;
}

/** A command as a part: `isReady` is asked with all that it has said so far. */
export function commandPart(
  name: string,
  spawn: () => ChildProcess,
  isReady: (said: { stdout: string; stderr: string }) => boolean,
): Part {
  let running: {
    child: ChildProcess;
    ended: Promise<void>;
    said: { stdout: string; stderr: string };
  } | null = null;
  return {
    name,
    start: async () => {
      const child = spawn();
      const said = { stdout: '', stderr: '' };
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      running = { child, ended, said };
      await new Promise<void>((ready, failed) => {
        for (const stream of ['stdout', 'stderr'] as const)
          child[stream]?.on('data', (data: Buffer) => {
            said[stream] = (said[stream] + data.toString()).slice(-20_000);
            if (isReady(said)) ready();
          });
        void ended.then(() => failed(new Error(`${name} ended before it worked: ${said.stderr}`)));
      });
    },
    kill: async () => {
      if (running === null) return;
      const { child, ended, said } = running;
      running = null;
      if (child.exitCode !== null)
        throw new Error(`${name} had ended by itself with ${child.exitCode}: ${said.stderr}`);
      child.kill('SIGKILL');
      await ended;
    },
  };
}
