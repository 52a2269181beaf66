import { Command, CommanderError } from 'commander';
import { completionCommand } from './terminal/completion-command.js';
import { exitCodeTexts, helpCommand } from './terminal/help-command.js';
import { plainText } from '../contract/text/plain-text.js';
import { exitCodes, jsonText, ownCommand, ownVersion, TactusError } from './command.js';

/** Commands that share a file. */
const shared = {
  start: () => import('./runs/start-commands.js'),
  follow: () => import('./runs/follow-commands.js'),
  list: () => import('./lists/list-commands.js'),
  status: () => import('./runs/status-commands.js'),
  decide: () => import('./people/decide-commands.js'),
  end: () => import('./runs/end-commands.js'),
  export: () => import('./runs/export-commands.js'),
  publish: () => import('./procedures/publish-commands.js'),
  test: () => import('./specifications/test-commands.js'),
} as const;

/** Each command by its name, in the order of the help. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await shared.start()).runCommand(),
  resume: async () => (await shared.follow()).resumeCommand(),
  start: async () => (await shared.start()).startCommand(),
  result: async () => (await shared.follow()).resultCommand(),
  list: async () => (await shared.list()).listCommand(),
  count: async () => (await shared.list()).countCommand(),
  status: async () => (await shared.status()).statusCommand(),
  log: async () => (await import('./runs/log-command.js')).logCommand(),
  state: async () => (await shared.status()).stateCommand(),
  session: async () => (await import('./sessions/session-command.js')).sessionCommand(),
  'graph-state': async () => (await import('./graphs/graph-state-command.js')).graphStateCommand(),
  pending: async () => (await import('./people/pending-command.js')).pendingCommand(),
  respond: async () => (await shared.decide()).respondCommand(),
  send: async () => (await import('./events/send-command.js')).sendCommand(),
  delegate: async () => (await shared.decide()).delegateCommand(),
  withdraw: async () => (await shared.decide()).withdrawCommand(),
  steer: async () => (await import('./agents/steer-command.js')).steerCommand(),
  stream: async () => (await import('./streams/stream-command.js')).streamCommand(),
  control: async () => (await shared.decide()).controlCommand(),
  'control-socket': async () => (await import('./people/control-socket-command.js')).controlSocketCommand(),
  cancel: async () => (await shared.end()).cancelCommand(),
  terminate: async () => (await shared.end()).terminateCommand(),
  pause: async () => (await import('./changes/pause-commands.js')).pauseCommand(),
  unpause: async () => (await import('./changes/pause-commands.js')).unpauseCommand(),
  hold: async () => (await import('./changes/hold-commands.js')).holdCommand(),
  fork: async () => (await import('./runs/fork-command.js')).forkCommand(),
  upgrade: async () => (await import('./changes/upgrade-command.js')).upgradeCommand(),
  retry: async () => (await import('./changes/retry-commands.js')).retryCommand(),
  rewind: async () => (await import('./changes/retry-commands.js')).rewindCommand(),
  diff: async () => (await import('./changes/diff-command.js')).diffCommand(),
  backtest: async () => (await import('./changes/backtest-command.js')).backtestCommand(),
  dlq: async () => (await import('./dead-letters/dlq-command.js')).dlqCommand(),
  import: async () => (await import('./runs/import-command.js')).importCommand(),
  export: async () => (await shared.export()).exportCommand(),
  archive: async () => (await shared.export()).archiveCommand(),
  replay: async () => (await import('./runs/replay-command.js')).replayCommand(),
  publish: async () => (await shared.publish()).publishCommand(),
  promote: async () => (await shared.publish()).promoteCommand(),
  rollback: async () => (await shared.publish()).rollbackCommand(),
  score: async () => (await import('./scores/score-commands.js')).scoreCommand(),
  compare: async () => (await import('./scores/score-commands.js')).compareCommand(),
  schedule: async () => (await import('./time/schedule-command.js')).scheduleCommand(),
  test: async () => (await shared.test()).testCommand(),
  evaluate: async () => (await shared.test()).evaluateCommand(),
  validate: async () => (await import('./procedures/validate-command.js')).validateCommand(),
  graph: async () => (await import('./procedures/graph-command.js')).graphCommand(),
  format: async () => (await import('./procedures/format-command.js')).formatCommand(),
  types: async () => (await import('./procedures/types-command.js')).typesCommand(),
  init: async () => (await import('./procedures/init-command.js')).initCommand(),
  playground: async () => (await import('./procedures/playground-command.js')).playgroundCommand(),
  worker: async () => (await import('./worker/start-worker-command.js')).workerCommand(),
  serve: async () => (await import('./server/serve-command.js')).serveCommand(),
  dev: async () => (await import('./server/dev-command.js')).devCommand(),
  server: async () => (await import('./server/server-command.js')).serverCommand(),
  index: async () => (await import('./lists/index-command.js')).indexCommand(),
  storage: async () => (await import('./storage/storage-command.js')).storageCommand(),
  mcp: async () => (await import('./mcp/mcp-command.js')).mcpCommand(),
  tools: async () => (await import('./tools/tools-command.js')).toolsCommand(),
  codec: async () => (await import('./payloads/codec-command.js')).codecCommand(),
  tenants: async () => (await import('./budgets/tenants-command.js')).tenantsCommand(),
  payloads: async () => (await import('./payloads/payloads-command.js')).payloadsCommand(),
  authority: async () => (await import('./authority/authority-command.js')).authorityCommand(),
  rollout: async () => (await import('./deployments/rollout-command.js')).rolloutCommand(),
  config: async () => (await import('./health/config-command.js')).configCommand(),
  doctor: async () => (await import('./health/doctor-command.js')).doctorCommand(),
};

/**
 * The command of a name: half of a short command's time would be the loading of what others need. All of them where there is
 * none of that name: for help, for completion, and to say which name is meant.
 */
export async function loadCommands(name: string | undefined): Promise<Command[]> {
  const one = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return Promise.all((one === undefined ? Object.values(commands) : [one]).map((load) => load()));
}

const codes = Object.entries(exitCodeTexts).map(([code, text]) => `${code} ${text}`);
const afterHelp = `
Exit codes: ${codes.slice(0, 3).join(' · ')} ·
${codes.slice(3).join(' · ')}

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
    .option('--quiet', 'print no progress and no hints')
    .option('--verbose', "show what Temporal's SDK says, and stacks of errors")
    .option('--no-color', 'print without colours')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .addHelpText('after', afterHelp)
    .showHelpAfterError('(--help shows what there is)')
    .configureOutput({ writeErr: (text) => process.stderr.write(plainText(text)) })
    .exitOverride();
  const [name] = program.parseOptions([...args]).operands;
  const commands = [...(await loadCommands(name)), completionCommand(program), helpCommand(program)];
  for (const command of commands) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const part of command.commands) part.copyInheritedSettings(command);
  }
  return program;
}

/** Commander's own word for a missing command is the name of what it then does. */
function messageOf({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, '');
}

/** Runs the command of these arguments (Node and the script left out). Its exit code is the process's from then on. */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    const program = await createProgram(args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.refused;
    // Commander has told the person already.
    if (error.exitCode !== 0 && args.includes('--json')) {
      const name = args.find((each) => Object.hasOwn(commands, each)) ?? '';
      const told = new TactusError('usage', messageOf(error)).toRunError();
      process.stdout.write(`${jsonText({ error: { ...told, next: ownCommand(`help ${name}`.trim()) } })}\n`);
    }
  }
}
