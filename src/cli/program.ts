import { Command } from 'commander';
import { authorityCommand } from './commands/authority.js';
import { cancelCommand } from './commands/cancel.js';
import { completionCommand } from './commands/completion.js';
import { controlSocketCommand } from './commands/control-socket.js';
import { controlCommand } from './commands/control.js';
import { delegateCommand } from './commands/delegate.js';
import { devCommand } from './commands/dev.js';
import { doctorCommand } from './commands/doctor.js';
import { evaluateCommand } from './commands/evaluate.js';
import { forkCommand } from './commands/fork.js';
import { formatCommand } from './commands/format.js';
import { graphCommand } from './commands/graph.js';
import { indexCommand } from './commands/index-runs.js';
import { initCommand } from './commands/init.js';
import { listCommand } from './commands/list.js';
import { logCommand } from './commands/log.js';
import { pendingCommand } from './commands/pending.js';
import { respondCommand } from './commands/respond.js';
import { resultCommand } from './commands/result.js';
import { resumeCommand } from './commands/resume.js';
import { runCommand } from './commands/run.js';
import { scheduleCommand } from './commands/schedule.js';
import { sendCommand } from './commands/send.js';
import { serveCommand } from './commands/serve.js';
import { serverCommand } from './commands/server.js';
import { startCommand } from './commands/start.js';
import { stateCommand } from './commands/state.js';
import { statusCommand } from './commands/status.js';
import { terminateCommand } from './commands/terminate.js';
import { testCommand } from './commands/test.js';
import { toolsCommand } from './commands/tools.js';
import { typesCommand } from './commands/types.js';
import { validateCommand } from './commands/validate.js';
import { steerCommand } from './commands/steer.js';
import { mcpCommand } from './commands/mcp.js';
import { withdrawCommand } from './commands/withdraw.js';
import { streamCommand } from './commands/stream.js';
import { workerCommand } from './commands/worker.js';
import { plainText } from '../contract/plain-text.js';
import { ownVersion } from './own-version.js';

const afterHelp = `
Exit codes: 0 done as asked · 1 the run failed · 2 wrong usage or input, nothing started ·
3 the run waits for a person or goes on · 4 server or worker can't be reached · 130 interrupted

Without --address and TEMPORAL_ADDRESS an embedded server is used. It keeps its data in .tactus-temporal/
of the working folder, outlives the command, and stops an hour after the last one (TACTUS_TEMPORAL_SERVER_IDLE).`;

/** The whole command line. Wrong usage throws a CommanderError. */
export function createProgram(): Command {
  const program = new Command('tactus-temporal')
    .description('Runs Tactus procedures as durable Temporal workflows')
    .version(ownVersion())
    .option('--json', 'print one JSON document on stdout, and everything else on stderr')
    .option('--address <host:port>', 'Temporal server to use instead of the embedded one')
    .option('--namespace <name>', 'namespace on that server')
    .option('--task-queue <name>', 'task queue of the workers')
    .option('--files <dir>', 'folder that procedures read and write files in (default: the working folder)')
    .option('--quiet', 'no progress and no hints')
    .option('--verbose', "show what Temporal's SDK says, and stacks of errors")
    .option('--no-color', 'no colours')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', afterHelp)
    .showHelpAfterError('(--help shows what there is)')
    .configureOutput({ writeErr: (text) => process.stderr.write(plainText(text)) })
    .exitOverride();
  const commands = [
    runCommand(),
    resumeCommand(),
    startCommand(),
    resultCommand(),
    listCommand(),
    statusCommand(),
    logCommand(),
    stateCommand(),
    pendingCommand(),
    respondCommand(),
    sendCommand(),
    delegateCommand(),
    withdrawCommand(),
    steerCommand(),
    streamCommand(),
    controlCommand(),
    controlSocketCommand(),
    cancelCommand(),
    terminateCommand(),
    forkCommand(),
    scheduleCommand(),
    testCommand(),
    evaluateCommand(),
    validateCommand(),
    graphCommand(),
    formatCommand(),
    typesCommand(),
    initCommand(),
    workerCommand(),
    serveCommand(),
    devCommand(),
    serverCommand(),
    indexCommand(),
    mcpCommand(),
    toolsCommand(),
    authorityCommand(),
    doctorCommand(),
    completionCommand(program),
  ];
  for (const command of commands) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const part of command.commands) part.copyInheritedSettings(command);
  }
  return program;
}
