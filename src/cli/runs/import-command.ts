import { Command } from 'commander';
import { type Import, type ImportOptions, readImport, recordedInput } from '../../client/runs/index.js';
import { defined, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  TactusError,
  act,
  exitCodes,
  type CommonOptions,
  type Context,
  type ExitCode,
  ownCommand,
  lastArgument,
  collect,
} from '../command.js';
import {
  readProcedure,
  startOptionsOf,
  type ReadProcedure,
  type StartFlags,
} from '../procedures/read-procedure.js';
import { readText } from './read-input.js';
import { withSession, type Session } from '../session.js';

interface ImportFlags {
  source?: string;
  task?: string;
  param: string[];
  input?: string;
  id?: string;
  dryRun?: boolean;
  allowChanges?: boolean;
  strict?: boolean;
  validate?: boolean;
}

/** `import FILE --source F.tac`: starts a run that goes on with what the Python Tactus, or `export`, has recorded. */
export function importCommand(): Command {
  return new Command('import')
    .description(
      'go on here with a run of the Python Tactus, by the file of its FileStorage, or with what export wrote',
    )
    .argument('<file>', 'the record: <procedure_id>.json; - for stdin')
    .option('--source <file>', 'source of the procedure when the record was made (export includes it)')
    .option('--task <task>', 'task that was run')
    .option('--param <name=value>', 'one field of its input; may be repeated', collect, [])
    .option('--input <json|@file|->', 'its input as JSON, from a file, or from stdin')
    .option('--id <run>', 'id of the new run (default: generated)')
    .option('--dry-run', 'check whether the procedure fits the record, and start nothing')
    .option('--allow-changes', 'accept a source that differs from the recorded one')
    .option(
      '--strict',
      'of an exported run, refuse a source that asks for what is kept with another prompt, label or approver',
    )
    .option('--no-validate', 'import it even if validate finds errors in its source')
    .action(
      act(async (context, flags: ImportFlags & CommonOptions, file: string) => {
        if (file === '-' && flags.input === '-')
          throw new TactusError(
            'usage',
            'The record and --input are two texts, and stdin is one: name a file',
          );
        const text = await readText(file === '-' ? file : `@${file}`, 'The record');
        const procedure = await procedureOf(flags, recordedInput(text, file), context);
        const options = optionsOf(file, flags, procedure);
        if (flags.dryRun === true) return printImport(context, await readImport(text, options), null);
        return withSession(context, async (session) => {
          const imported = await readImport(text, { ...options, ...startedHere(procedure, session) });
          const run = await session.tactus.startImport(imported);
          return printImport(context, imported, run.runId);
        });
      }),
    );
}

/** @throws TactusError usage where an input is given for no source */
async function procedureOf(
  flags: ImportFlags & CommonOptions,
  recorded: JsonValue | null,
  { screen }: Context,
): Promise<ReadProcedure | null> {
  const { source, task, id: _, ...given } = flags;
  if (source !== undefined)
    return readProcedure(
      source,
      task,
      given satisfies StartFlags,
      screen,
      isObject(recorded ?? undefined) ? (recorded as JsonObject) : null,
    );
  if (flags.input !== undefined || flags.param.length > 0 || task !== undefined)
    throw new TactusError('usage', '--input, --param and --task are those of a --source');
  return null;
}

function optionsOf(
  place: string,
  { id, allowChanges, strict, input, param }: ImportFlags,
  procedure: ReadProcedure | null,
): ImportOptions {
  const hasInput = input !== undefined || param.length > 0;
  return {
    place,
    ...defined({ runId: id, strict }),
    ...(allowChanges === true ? { allowsChanges: true } : {}),
    ...(procedure === null ? {} : { source: procedure.source }),
    ...(procedure !== null && hasInput ? { input: procedure.input } : {}),
    ...defined({ task: procedure?.task }),
    ...(procedure === null ? {} : { settings: procedure.settings }),
  };
}

function startedHere(procedure: ReadProcedure | null, session: Session): Partial<ImportOptions> {
  if (procedure === null) return {};
  const { timeout: _, ...options } = startOptionsOf(procedure, session);
  return options;
}

/** @param runId null where nothing was started */
function printImport({ screen }: Context, imported: Import, runId: string | null): ExitCode {
  const { importedFrom, answers, left, asked, strangers, leftBehind, plan } = imported;
  screen.answer(
    {
      run_id: runId,
      imported_from: importedFrom,
      checkpoints: answers,
      compared: answers - left,
      strangers,
      asked,
      left_behind: leftBehind,
      plan,
    },
    () => runId ?? `${importedFrom} fits, with ${answers} checkpoints`,
  );
  const [first] = asked;
  const next =
    first === undefined
      ? 'nothing more'
      : `${first.type} '${first.name}'${first.line === null ? '' : ` (${first.file}:${first.line})`}`;
  screen.note(`Of what is recorded ${answers - left} of ${answers} were compared; it then asks for ${next}.`);
  if (left > 0)
    screen.note(
      `The other ${left} are compared when the run comes to them: what stands before them isn't recorded, and is done now.`,
    );
  if (strangers > 0) screen.note(`${strangers} entries of another run were left out.`);
  for (const each of leftBehind) screen.note(`Left behind: ${each}.`);
  for (const { position, name, settings } of plan?.changed ?? [])
    screen.note(`Changed, and kept as it was answered: ${position} ${name}: ${settings.join(', ')}.`);
  if (runId !== null) screen.note(`${ownCommand(`resume ${lastArgument(runId)}`)}`);
  return exitCodes.done;
}
