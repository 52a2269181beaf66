import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program in a process of its own, which says what it has to say in lines, and ends with its input. */
export interface Child {
  /** The next one. @throws Error where it has ended before */
  line(): Promise<string>;
  close(): Promise<void>;
}

export function startChild(script: string, args: readonly string[], cwd = import.meta.dirname): Child {
  const child = spawn(process.execPath, [script, ...args], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    line: async () => {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`${script} ended`);
      return value;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
