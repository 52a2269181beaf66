import { Command } from 'commander';
import { TactusError } from '../../contract/errors.js';
import { connectionTarget } from '../connection-target.js';
import { act, type CommonOptions } from '../context.js';
import { develop } from './dev/develop.js';
import { interruption } from '../terminal/interruption.js';
import { serveOptions, type ServeFlags } from './serve-options.js';
import { collect } from '../runs/start-options.js';

/** `dev`: server, worker, HTTP API and page of a working folder, which follow its files. */
export function devCommand(): Command {
  return new Command('dev')
    .description(
      'embedded server, worker, HTTP API and page until interrupted; what changes is checked and loaded anew',
    )
    .option('--port <number>', 'port to listen on; 0: any that is free (default: 8700)')
    .option('--procedures <dir>', 'folder of procedures that may be started; may be repeated', collect, [])
    .action(
      act(async ({ options, screen }, flags: ServeFlags) => {
        if (connectionTarget(options).connection !== null)
          throw new TactusError(
            'usage',
            'dev works with the embedded server alone: with a server elsewhere, use worker and serve',
          );
        const env = { ...process.env };
        const { folders } = await serveOptions(flags, screen);
        const { signal, dispose } = interruption();
        try {
          const args = [
            ...passedOn(options),
            ...flags.procedures.flatMap((folder) => ['--procedures', folder]),
          ];
          return await develop({ args, port: flags.port ?? null, folders, env }, screen, signal);
        } finally {
          dispose();
        }
      }),
    );
}

function passedOn({
  namespace,
  taskQueue,
  files,
  codecEndpoint,
  quiet,
  verbose,
  color,
}: CommonOptions): string[] {
  return [
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ...(taskQueue === undefined ? [] : ['--task-queue', taskQueue]),
    ...(files === undefined ? [] : ['--files', files]),
    ...(codecEndpoint === undefined ? [] : ['--codec-endpoint', codecEndpoint]),
    ...(quiet === true ? ['--quiet'] : []),
    ...(verbose === true ? ['--verbose'] : []),
    ...(color === false ? ['--no-color'] : []),
  ];
}
