import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A process that is killed at any time, and started again. */
export class SoakPart {
  readonly name: string;
  private readonly begin: () => ChildProcess;
  private readonly isReady: RegExp;
  private child: ChildProcess | null = null;

  /** @param isReady what it says when it does its work */
  constructor(name: string, command: readonly string[], cwd: string, isReady: RegExp) {
    this.name = name;
    this.begin = () => spawn(process.execPath, command, { cwd, env: plain(), stdio: 'pipe' });
    this.isReady = isReady;
  }

  async start(): Promise<void> {
    const child = this.begin();
    this.child = child;
    let said = '';
    await new Promise<void>((ready, failed) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (data: Buffer) => {
          said = (said + data.toString()).slice(-10_000);
          if (this.isReady.test(said)) ready();
        });
      child.once('exit', () => failed(new Error(`${this.name} ended: ${said}`)));
    });
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Memory of its process now. */
  bytes(): number {
    if (this.child?.pid === undefined) return 0;
    return 1_024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(this.child.pid)]).toString());
  }
}

/** Without servers and keys of the person who measures. */
function plain(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
}
