import { Command } from 'commander';
import { completionCommand } from './terminal/completion-command.js';
import { plainText } from '../contract/text/plain-text.js';
import { loadCommands } from './load-commands.js';
import { ownVersion } from './terminal/own-version.js';

const afterHelp = `
Exit codes: 0 done as asked · 1 the run failed · 2 wrong usage or input, nothing started ·
3 the run waits for a person or goes on · 4 server or worker can't be reached · 130 interrupted

Without --address and TEMPORAL_ADDRESS an embedded server is used. It keeps its data in .tactus-temporal/
of the working folder, outlives the command, and stops an hour after the last one (TACTUS_TEMPORAL_SERVER_IDLE).`;

/** The command line, with what these arguments (Node and the script left out) need of it. Wrong usage throws a CommanderError. */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('tactus-temporal')
    .description('Runs Tactus procedures as durable Temporal workflows')
    .version(ownVersion())
    .option('--json', 'print one JSON document on stdout, and everything else on stderr')
    .option('--address <host:port>', 'Temporal server to use instead of the embedded one')
    .option('--namespace <name>', 'namespace on that server')
    .option('--task-queue <name>', 'task queue of the workers')
    .option('--files <dir>', 'folder that procedures read and write files in (default: files)')
    .option(
      '--codec-endpoint <url>',
      'codec server that encodes and decodes payloads (default: codec of the configuration)',
    )
    .option('--quiet', 'no progress and no hints')
    .option('--verbose', "show what Temporal's SDK says, and stacks of errors")
    .option('--no-color', 'no colours')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', afterHelp)
    .showHelpAfterError('(--help shows what there is)')
    .configureOutput({ writeErr: (text) => process.stderr.write(plainText(text)) })
    .exitOverride();
  const [name] = program.parseOptions([...args]).operands;
  const commands = [...(await loadCommands(name)), completionCommand(program)];
  for (const command of commands) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const part of command.commands) part.copyInheritedSettings(command);
  }
  return program;
}
