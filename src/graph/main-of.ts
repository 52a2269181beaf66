import type { Chunk, FunctionDeclaration } from '../validation/syntax/ast.js';
import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import type { SourceFile } from '../validation/syntax/source-file.js';

export interface Main {
  file: SourceFile;
  body: FunctionDeclaration | Chunk;
  /** null where it has none of its own. */
  name: string | null;
}

/**
 * What a run begins with, chosen as the runtime does; null where none of several procedures is the main one, or where
 * tasks are all that there is.
 */
export function mainOf({ declared, entry }: AnalysedProgram, hasTasks: boolean): Main | null {
  const procedures = declared.flatMap(({ kind, file, body, name }) =>
    kind === 'procedure' && file === entry && body !== null ? [{ file, body, name }] : [],
  );
  const [first, ...others] = procedures;
  if (first !== undefined) {
    if (others.length === 0 && !hasTasks)
      return { ...first, name: first.name === 'main' ? null : first.name };
    const main =
      procedures.find(({ name }) => name === 'main') ?? procedures.find(({ name }) => name === null);
    if (main !== undefined || !hasTasks) return main === undefined ? null : { ...main, name: null };
  }
  const plain = entry.scopes.writes
    .filter(({ node }) => node.name === 'main')
    .map(({ node }) => entry.parents.get(node))
    .find((node) => node?.type === 'FunctionDeclaration');
  if (plain?.type === 'FunctionDeclaration') return { file: entry, body: plain, name: null };
  return hasTasks ? null : { file: entry, body: entry.chunk, name: null };
}
