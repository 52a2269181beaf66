import { Command } from 'commander';
import { fileURLToPath } from 'node:url';
import { aborted, act, exitCodes, interruption, readPort } from '../command.js';

const usualPort = 8702;

/** `playground`: serves a page that runs procedures in the browser. */
export function playgroundCommand(): Command {
  return new Command('playground')
    .description(
      'serve a page that runs procedures in your browser, without a server or a worker, until interrupted',
    )
    .option('--port <number>', `port to listen on; 0 for any free port (default: ${usualPort})`)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .action(
      act(async ({ screen }, { port, host = '127.0.0.1' }: { port?: string; host?: string }) => {
        const asked = port === undefined ? usualPort : readPort(port);
        const { servePlayground } = await import('../../server/index.js');
        const { signal, dispose } = interruption();
        try {
          const folder = fileURLToPath(new URL('../../playground/', import.meta.url));
          const server = await servePlayground(folder, host, asked);
          screen.answer({ url: server.url }, () => `The playground is at ${server.url}`);
          await aborted(signal);
          await server.close();
          return exitCodes.done;
        } finally {
          dispose();
        }
      }),
    );
}
