import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../../contract/json/json.js';
import type { ExitCode } from '../../terminal/exit-codes.js';

/** What `serve --json` says as soon as it listens. */
export interface Serving {
  url: string;
  host: string;
  port: number;
  authentication: string[];
  namespaces: string[];
}

export interface Refused {
  error: JsonObject;
}

/**
 * `serve` in a process of its own: code of tools is loaded anew by a new process alone. Its messages come to our stderr.
 * It dies with this one, and hears of Ctrl-C from this one alone, so that it can end in order.
 */
export class ServedChild {
  /** How it ended; null where it was killed. */
  readonly ended: Promise<ExitCode | null>;
  private readonly child: ChildProcess;

  /** `env`: as it was before configuration added to it, which the child reads itself. */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [process.argv[1] ?? '', 'serve', '--json', ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...env, TACTUS_TEMPORAL_LAUNCHED: '1' },
      detached: true,
    });
    this.ended = new Promise((done) => this.child.on('exit', (code) => done(code as ExitCode | null)));
  }

  /** What it says first: that it listens, or why it can't. null: it was killed before. */
  async told(): Promise<Serving | Refused | null> {
    const { stdout } = this.child;
    if (stdout === null) return null;
    const line = new Promise<string>((told) => createInterface({ input: stdout }).once('line', told));
    const said = await Promise.race([line, this.ended]);
    return typeof said === 'string' ? (JSON.parse(said) as Serving | Refused) : null;
  }

  /** Lets it end what is in flight. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}
