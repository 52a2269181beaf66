import { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { interruption } from '../terminal/interruption.js';
import { serveHere, serveOptions, type ServeFlags } from './serve.js';
import { withSession } from '../session.js';
import { collect } from '../runs/start-options.js';

/** `serve`: the HTTP API; `serve token NAME`: a token for it. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve the HTTP API until interrupted; with the embedded server, also run a worker')
    .option('--port <number>', 'port to listen on; 0 for any free port (default: 8700)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--procedures <dir>', 'folder of procedures that may be started; may be repeated', collect, [])
    .action(
      act(async (context, flags: ServeFlags) => {
        const { signal, dispose } = interruption();
        try {
          const settings = await serveOptions(flags, context.screen);
          await withSession(context, (session) => serveHere(session, context.screen, settings, signal));
          return exitCodes.done;
        } finally {
          dispose();
        }
      }),
    );
  command
    .command('token')
    .description('create a token for the HTTP API: the token itself, and its entry for the configuration')
    .argument('<name>', 'name of the token: decisions are recorded with it')
    .action(
      act(async ({ screen }, _flags: object, name: string) => {
        const { hashOfToken } = await import('../../server/index.js');
        const token = `tactus_${randomBytes(32).toString('base64url')}`;
        const hash = `sha256:${hashOfToken(token).toString('hex')}`;
        screen.answer({ name, token, hash }, () =>
          [
            `${token}`,
            '',
            `is the token of ${name}, and is shown this once. Add to .tactus/config.yml:`,
            ...['', 'server:', '  tokens:', `    - name: ${JSON.stringify(name)}`, `      hash: ${hash}`],
          ].join('\n'),
        );
        return exitCodes.done;
      }),
    );
  return command;
}
