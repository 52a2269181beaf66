import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs a program in place of this process: same terminal, same signals, same exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, ipc?: boolean }} options `ipc`: lets the program notice when we are killed
 * @returns {Promise<number>} the exit code
 */
export function runInForeground(command, args, { env = process.env, ipc = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = /** @type {const} */ ('inherit');
    const child = spawn(command, args, { env, stdio: ipc ? [stdio, stdio, stdio, 'ipc'] : stdio });
    // On a terminal Ctrl-C reaches the program by itself, and a second one would mean "at once".
    const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      if (signal !== 'SIGINT' || !onTerminal) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const name of signals) process.removeListener(name, forward);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
