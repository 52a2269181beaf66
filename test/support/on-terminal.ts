import { spawn } from 'node:child_process';
import { join } from 'node:path';
import xterm from '@xterm/headless';

const script = join(import.meta.dirname, 'on-terminal.py');

export interface TerminalSize {
  columns: number;
  rows: number;
  /** What `resize` makes of it. */
  resized?: { columns: number; rows: number };
}

/** A command that runs on a terminal. */
export interface OnTerminal {
  /** All that it has shown so far, without colours and cursor movements. */
  screen: () => string;
  /** Resolves when it shows the text; `times`: so often in all, with what was drawn again. */
  shows(text: string, times?: number): Promise<void>;
  type(keys: string): void;
  resize(): void;
  /** What a person sees in the end who scrolls up: lines as a terminal has drawn them. */
  drawn(): Promise<string[]>;
  signal(name: NodeJS.Signals): void;
  /** How it was left, when the command has ended. */
  modes(): { canonical: boolean; echo: boolean };
  /** `kill -9`. */
  kill(): Promise<void>;
  ended: Promise<number | null>;
}

interface Place {
  cwd: string;
  env: NodeJS.ProcessEnv;
  longestMs: number;
}

// eslint-disable-next-line no-control-regex
const escapes = /\u001b\[[0-9;?]*[a-zA-Z]/g;

export function runOnTerminal(
  command: readonly string[],
  { cwd, env, longestMs }: Place,
  size: TerminalSize = { columns: 200, rows: 40 },
): OnTerminal {
  const { resized = size } = size;
  const sizes = { TERMINAL_SIZE: nameOf(size), TERMINAL_RESIZED: nameOf(resized) };
  const child = spawn('python3', [script, ...command], { cwd, env: { ...env, ...sizes, TERM: 'xterm' } });
  const emulator = new xterm.Terminal({
    ...{ cols: size.columns, rows: size.rows },
    ...{ scrollback: 10_000, allowProposedApi: true },
  });
  let text = '';
  const waiting: (() => void)[] = [];
  const screen = (): string => text.replace(escapes, '');
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString();
    emulator.write(data);
    for (const look of waiting) look();
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(Number(/^pid (\d+)/.exec(text)?.[1]), name);
    } catch (error) {
      // It has ended by itself at this very moment.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  return {
    screen,
    shows: (wanted, times = 1) =>
      new Promise((done, reject) => {
        const failed = (): void => reject(new Error(`"${wanted}" was not shown, but:\n${screen()}`));
        const timer = setTimeout(failed, longestMs);
        const look = (): void => {
          if (screen().split(wanted).length <= times) return;
          clearTimeout(timer);
          done();
        };
        waiting.push(look);
        void ended.then(look).then(failed);
        look();
      }),
    type: (keys) => void child.stdin.write(keys),
    resize: () => {
      child.kill('SIGUSR1');
      emulator.resize(resized.columns, resized.rows);
    },
    drawn: () =>
      new Promise((done) => {
        emulator.write('', () => {
          const { active } = emulator.buffer;
          const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i));
          done(lines.map((line) => line?.translateToString(true) ?? ''));
        });
      }),
    signal,
    modes: () => {
      const [, canonical, echo] = /\nmodes (\d) (\d)\n$/.exec(text) ?? [];
      return { canonical: canonical === '1', echo: echo === '1' };
    },
    kill: async () => {
      signal('SIGKILL');
      await ended;
    },
    ended,
  };
}

function nameOf({ columns, rows }: { columns: number; rows: number }): string {
  return `${columns}x${rows}`;
}
