import type { ProcedureSource } from '../../src/contract/procedures/source.js';

/** A procedure of one file, and those that it reaches beside it. */
export function procedureSource(main: string, files: Record<string, string> = {}): ProcedureSource {
  return { entry: 'main.tac', files: { 'main.tac': main, ...files } };
}

/** A procedure with this body and neither input nor output declared. */
export function procedureOf(body: string, files: Record<string, string> = {}): ProcedureSource {
  return procedureSource(`Procedure { function(input)\n${body}\nend }`, files);
}
