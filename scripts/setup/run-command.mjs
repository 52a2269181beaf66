import { spawn } from 'node:child_process';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @typedef {object} CommandResult
 * @property {number | null} code null when it was ended or could not be started
 * @property {string} stdout
 * @property {string} stderr
 * @property {boolean} timedOut
 * @property {boolean} notFound there is no such executable
 */

/**
 * Runs a command to its end, or ends it with everything that it started when its time is up.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number, cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<CommandResult>}
 */
export function runCommand(command, args, { timeoutMs, cwd, env }) {
  return new Promise((resolve) => {
    // A process group of its own, so that a download that hangs is ended with all its helpers.
    const detached = process.platform !== 'win32';
    const child = spawn(command, args, { cwd, env, detached, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = () => {
      try {
        if (detached && child.pid) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // It was over already.
      }
    };
    const result = { stdout: '', stderr: '', timedOut: false, notFound: false };
    const timer = setTimeout(() => {
      result.timedOut = true;
      end();
    }, timeoutMs);
    // Being in a group of its own, it would outlive a Ctrl-C.
    const endBoth = () => {
      end();
      process.exit(130);
    };
    for (const signal of signals) process.on(signal, endBoth);
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8').on('data', (text) => (result[name] += text));
    }
    /** @param {number | null} code */
    const settle = (code) => {
      clearTimeout(timer);
      for (const signal of signals) process.removeListener(signal, endBoth);
      resolve({ ...result, code });
    };
    child.on('error', (error) => {
      result.notFound = /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT';
      result.stderr += error.message;
      settle(null);
    });
    child.on('close', settle);
  });
}

/** What npm and pip say beside what matters. */
const filler = /^npm error( A complete log.*| Run "npm help.*| code \S+)?$|^npm (warn|notice)|^WARNING/i;

/**
 * The first telling lines of what a failed command said, for an error message.
 * @param {CommandResult} result
 */
export function whyItFailed(result) {
  if (result.timedOut) return 'it took too long';
  const lines = `${result.stderr}\n${result.stdout}`.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line !== '' && !filler.test(line));
  return telling.slice(0, 3).join(' · ').slice(0, 400) || `exit code ${result.code}`;
}
