import { Command } from 'commander';
import { findEmbeddedServer, type ServerRecord, stopEmbeddedServer } from '../../worker/server/index.js';
import { act, exitCodes } from '../command.js';
import { embeddedServer } from './embedded-server.js';

/** `server start|stop|status`: the embedded server of the working folder alone. */
export function serverCommand(): Command {
  const command = new Command('server').description('start, stop or show the embedded server of this folder');
  command
    .command('start')
    .description('start the server if it is not running')
    .option('--idle <duration>', 'stop the server after this time without a command; 0: never')
    .option('--web-ui', 'start the Web UI also on systems that cannot hide it from web pages (macOS)')
    .action(
      act(async ({ screen }, { idle, webUi }: { idle?: string; webUi?: boolean }) => {
        const server = await embeddedServer(screen, idle, webUi);
        screen.answer(document(server), () => text(server));
        return exitCodes.done;
      }),
    );
  command
    .command('stop')
    .description('stop the server; runs stay in its database')
    .action(
      act(async ({ screen }) => {
        const wasRunning = await stopEmbeddedServer(process.cwd());
        screen.answer({ running: false, stopped: wasRunning }, () =>
          wasRunning ? 'stopped' : 'was not running',
        );
        return exitCodes.done;
      }),
    );
  command
    .command('status')
    .description('show whether the server is running, and its address')
    .action(
      act(async ({ screen }) => {
        const server = findEmbeddedServer(process.cwd());
        screen.answer(server === null ? { running: false } : document(server), () =>
          server === null ? 'not running' : text(server),
        );
        return exitCodes.done;
      }),
    );
  return command;
}

function document(server: ServerRecord): object {
  return { running: true, ...server };
}

function text({ address, ui, pid, started_at }: ServerRecord): string {
  const page = ui ?? 'off (server start --web-ui starts it)';
  return `running at ${address} since ${started_at} (process ${pid}); Web UI: ${page}`;
}
