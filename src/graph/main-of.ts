import type { Chunk, FunctionDeclaration } from 'luaparse';
import type { AnalysedProgram } from '../validation/analysed-program.js';
import type { SourceFile } from '../validation/source-file.js';

export interface Main {
  file: SourceFile;
  body: FunctionDeclaration | Chunk;
  /** null where it has none of its own. */
  name: string | null;
}

/** What a run begins with, chosen as the runtime does; null where none of several procedures is the main one. */
export function mainOf({ declared, entry }: AnalysedProgram): Main | null {
  const procedures = declared.flatMap(({ kind, file, body, name }) =>
    kind === 'procedure' && file === entry && body !== null ? [{ file, body, name }] : [],
  );
  const [first, ...others] = procedures;
  if (first !== undefined) {
    if (others.length === 0) return { ...first, name: first.name === 'main' ? null : first.name };
    const main =
      procedures.find(({ name }) => name === 'main') ?? procedures.find(({ name }) => name === null);
    return main === undefined ? null : { ...main, name: null };
  }
  const plain = entry.scopes.writes
    .filter(({ node }) => node.name === 'main')
    .map(({ node }) => entry.parents.get(node))
    .find((node) => node?.type === 'FunctionDeclaration');
  return { file: entry, body: plain?.type === 'FunctionDeclaration' ? plain : entry.chunk, name: null };
}
