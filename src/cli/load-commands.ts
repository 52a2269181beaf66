import type { Command } from 'commander';

/** Each command by its name, in the order of the help. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.js')).runCommand(),
  resume: async () => (await import('./commands/resume.js')).resumeCommand(),
  start: async () => (await import('./commands/start.js')).startCommand(),
  result: async () => (await import('./commands/result.js')).resultCommand(),
  list: async () => (await import('./commands/list.js')).listCommand(),
  count: async () => (await import('./commands/count.js')).countCommand(),
  status: async () => (await import('./commands/status.js')).statusCommand(),
  log: async () => (await import('./commands/log.js')).logCommand(),
  state: async () => (await import('./commands/state.js')).stateCommand(),
  pending: async () => (await import('./commands/pending.js')).pendingCommand(),
  respond: async () => (await import('./commands/respond.js')).respondCommand(),
  send: async () => (await import('./commands/send.js')).sendCommand(),
  delegate: async () => (await import('./commands/delegate.js')).delegateCommand(),
  withdraw: async () => (await import('./commands/withdraw.js')).withdrawCommand(),
  steer: async () => (await import('./commands/steer.js')).steerCommand(),
  stream: async () => (await import('./commands/stream.js')).streamCommand(),
  control: async () => (await import('./commands/control.js')).controlCommand(),
  'control-socket': async () => (await import('./commands/control-socket.js')).controlSocketCommand(),
  cancel: async () => (await import('./commands/cancel.js')).cancelCommand(),
  terminate: async () => (await import('./commands/terminate.js')).terminateCommand(),
  fork: async () => (await import('./commands/fork.js')).forkCommand(),
  import: async () => (await import('./commands/import.js')).importCommand(),
  export: async () => (await import('./commands/export.js')).exportCommand(),
  archive: async () => (await import('./commands/archive.js')).archiveCommand(),
  replay: async () => (await import('./commands/replay.js')).replayCommand(),
  schedule: async () => (await import('./commands/schedule.js')).scheduleCommand(),
  test: async () => (await import('./commands/test.js')).testCommand(),
  evaluate: async () => (await import('./commands/evaluate.js')).evaluateCommand(),
  validate: async () => (await import('./commands/validate.js')).validateCommand(),
  graph: async () => (await import('./commands/graph.js')).graphCommand(),
  format: async () => (await import('./commands/format.js')).formatCommand(),
  types: async () => (await import('./commands/types.js')).typesCommand(),
  init: async () => (await import('./commands/init.js')).initCommand(),
  worker: async () => (await import('./commands/worker.js')).workerCommand(),
  serve: async () => (await import('./commands/serve.js')).serveCommand(),
  dev: async () => (await import('./commands/dev.js')).devCommand(),
  server: async () => (await import('./commands/server.js')).serverCommand(),
  index: async () => (await import('./commands/index-runs.js')).indexCommand(),
  storage: async () => (await import('./commands/storage.js')).storageCommand(),
  mcp: async () => (await import('./commands/mcp.js')).mcpCommand(),
  tools: async () => (await import('./commands/tools.js')).toolsCommand(),
  authority: async () => (await import('./commands/authority.js')).authorityCommand(),
  doctor: async () => (await import('./commands/doctor.js')).doctorCommand(),
};

/**
 * The command of a name: half of a short command's time would be the loading of what others need. All of them where there is
 * none of that name: for help, for completion, and to say which name is meant.
 */
export async function loadCommands(name: string | undefined): Promise<Command[]> {
  const one = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return Promise.all((one === undefined ? Object.values(commands) : [one]).map((load) => load()));
}
