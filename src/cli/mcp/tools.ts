import type { Tool } from '@modelcontextprotocol/server';
import { procedureInterface, type ProcedureInterface } from '../../client/procedures/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { TactusError, type CommonOptions, type Screen } from '../command.js';
import { configure } from '../configure.js';
import { readProcedure } from '../procedures/read-procedure.js';

/** A procedure that clients may call as a tool. */
export interface OfferedProcedure extends ProcedureInterface {
  /** Its file, as it was given: read anew at each call. */
  file: string;
}

const nameable = /^[\w.-]{1,128}$/;

/**
 * The procedures of these files, each as a tool that is called as its file is.
 * @throws TactusError usage where a name is no name of a tool, or there twice; source_not_found, source_invalid, config_invalid
 */
export async function offeredProcedures(
  files: readonly string[],
  options: CommonOptions,
  screen: Screen,
): Promise<OfferedProcedure[]> {
  const offered: OfferedProcedure[] = [];
  for (const file of files) {
    const source = await collectFile(file);
    const { settings } = await configure(file, {}, screen);
    const procedure = { ...procedureInterface(source, settings), file };
    const { name } = procedure;
    if (!nameable.test(name))
      throw new TactusError(
        'usage',
        `${file} can't be a tool: tools are named by letters, digits, _, - and ., and it would be ${JSON.stringify(name)}`,
      );
    const other = offered.find((each) => each.name === name)?.file;
    const taken = name === waitToolName ? 'is a tool of the server itself' : other;
    if (taken !== undefined)
      throw new TactusError(
        'usage',
        `${file} can't be the tool ${name}: that ${other === undefined ? taken : `is ${other}`}`,
      );
    await assertStartable(file, options, screen);
    offered.push(procedure);
  }
  return offered;
}

/** What is wrong with a procedure is said when it is offered, and not only when it is called; its input comes with the call. */
async function assertStartable(file: string, options: CommonOptions, screen: Screen): Promise<void> {
  try {
    await readProcedure(file, undefined, { ...options, param: [] }, screen);
  } catch (error) {
    if (!(error instanceof TactusError) || error.code !== 'input_invalid') throw error;
  }
}

export const waitToolName = 'wait_for_run';

/** The tool that waits for a run which a call has left open. */
export const waitTool: Tool = {
  name: waitToolName,
  description:
    'Waits for a run that a call has started and that has not ended, and gives what its procedure gives. Starts nothing: it may be called as often as needed.',
  inputSchema: {
    type: 'object',
    properties: { run_id: { type: 'string', description: 'As a call has named it' } },
    required: ['run_id'],
  },
  annotations: { readOnlyHint: true },
};
