/** Entry of the command line: runs itself when it is loaded. */
import { CommanderError } from 'commander';
import { exitCodes } from './exit-codes.js';
import { createProgram } from './program.js';

/** What was written is out before the process ends: output into a pipe may lag behind. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve());
    stream.write('', () => resolve());
  });
}

// A reader that has gone away, as `… | head` does, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.refused;
}
await Promise.all([flush(process.stdout), flush(process.stderr)]);
// Threads of the SDK would keep the process alive.
process.exit();
