import { readFileSync } from 'node:fs';

/**
 * Whether a process lives and is the one that is meant: its command line holds `mark`. Process ids are used again,
 * soonest in containers, and a dead process that nobody has reaped still has one. Where the system shows no command
 * lines, the id alone must do.
 */
export function isRunning(pid: number, mark = ''): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return commandLine !== '' && commandLine.includes(mark);
  } catch {
    return false;
  }
}
