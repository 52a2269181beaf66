/** Entry of the command line: runs itself when it is loaded. */
import { enableCompileCache } from 'node:module';

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

// Most of a short command's time is loading: compiled once, it is loaded in half of it.
enableCompileCache();
const { runProgram } = await import('./program.js');
await runProgram(process.argv.slice(2));
await Promise.all([flush(process.stdout), flush(process.stderr)]);
// Threads of the SDK would keep the process alive.
process.exit();
