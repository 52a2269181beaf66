import type { TactusError } from '../../contract/errors.js';
import type { AnalysedProgram } from './analysed-program.js';
import { lineOf } from '../syntax/ast.js';

/** Where an error belongs that was raised without a line: at the declaration that it names, or the last procedure. */
export function unplaced(
  error: TactusError,
  { entry, declared }: AnalysedProgram,
): { file: string; line: number } {
  const [, kind, name] = /^(Agent|Model|Tool|Procedure)(?: "([^"]+)")?:? /.exec(error.message) ?? [];
  const meant =
    kind === undefined
      ? declared.findLast((each) => each.kind === 'procedure')
      : declared.find(
          (each) => each.kind === kind.toLowerCase() && (name === undefined || each.name === name),
        );
  if (meant === undefined) return { file: entry.name, line: 1 };
  return { file: meant.file.name, line: lineOf(meant.call.node) };
}
