import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { LupaPaths } from '../support/lupa-paths.js';
import type { Ran } from './ran.js';

const longestRunMs = 30_000;

/** A Python process that runs all programs, one after the other, in the Lua of the reference. */
export class ReferenceLua {
  private process!: ChildProcessByStdio<Writable, Readable, null>;
  private answers!: AsyncIterator<string>;

  private readonly lupa: LupaPaths;

  // Written out: the bench runs it as Node strips types.
  constructor(lupa: LupaPaths) {
    this.lupa = lupa;
    this.start();
  }

  private start(): void {
    const { python, packages } = this.lupa;
    const script = fileURLToPath(new URL('reference-lua.py', import.meta.url));
    this.process = spawn(python, [script, packages], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.answers = createInterface(this.process.stdout)[Symbol.asyncIterator]();
  }

  run(source: string): Promise<Ran> {
    return this.ask(source, source);
  }

  /** The same with the libraries of Lua itself, where the reference has some of Python's. */
  runOwn(source: string): Promise<Ran> {
    return this.ask({ own: source }, source);
  }

  /** The milliseconds that it takes there: to make a state and load the program, and then to run it. */
  time(source: string): Promise<{ load: number; run: number }> {
    return this.ask({ timed: source }, source);
  }

  private async ask<T>(question: unknown, source: string): Promise<T> {
    this.process.stdin.write(`${JSON.stringify(question)}\n`);
    // A program that doesn't end here would never end there either: nothing stops it but this.
    const watch = setTimeout(() => this.process.kill('SIGKILL'), longestRunMs);
    const answer = await this.answers.next();
    clearTimeout(watch);
    if (answer.done === true) {
      // The programs after it have another one.
      this.start();
      throw new Error(
        `the Python process has ended, or took longer than ${longestRunMs / 1000} s, with\n${source}`,
      );
    }
    return JSON.parse(answer.value) as T;
  }

  async stop(): Promise<void> {
    const closed = once(this.process, 'close');
    this.process.stdin.end();
    await closed;
  }
}
