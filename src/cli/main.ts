/** Entry of the command line: runs itself when it is loaded. */
import { CommanderError } from 'commander';
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
const { exitCodes, jsonText, TactusError } = await import('./command.js');
const { createProgram } = await import('./program.js');

/** Commander's own word for a missing command is the name of what it then does. */
function messageOf({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, '');
}

try {
  const program = await createProgram(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.refused;
  // Commander has told the person already.
  if (error.exitCode !== 0 && process.argv.includes('--json')) {
    process.stdout.write(`${jsonText({ error: new TactusError('usage', messageOf(error)).toRunError() })}\n`);
  }
}
await Promise.all([flush(process.stdout), flush(process.stderr)]);
// Threads of the SDK would keep the process alive.
process.exit();
