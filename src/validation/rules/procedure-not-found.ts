import { textOf } from '../ast.js';
import type { Expression } from 'luaparse';
import type { SourceFile } from '../source-file.js';
import { misCased } from '../required-files.js';
import type { Rule } from '../rule.js';

/** `Procedure.run` of a file that isn't there. */
export const procedureNotFound: Rule = {
  code: 'procedure_not_found',
  severity: 'error',
  *check(file, { source, surroundings: { nearby, elsewhere } }) {
    for (const { node, callee } of procedureFiles(file)) {
      const name = textOf(node);
      if (name === null || elsewhere.includes(name)) continue;
      const candidates = procedureCandidates(name, source.entry);
      if (candidates.some((each) => Object.hasOwn(source.files, each))) continue;
      if (misCased(candidates, nearby) === null)
        yield {
          node,
          message: `${callee}: there is no file ${name}`,
          suggestion: 'name it from the folder of this file',
        };
    }
  },
};

export function procedureFiles({ calls }: SourceFile): { node: Expression; callee: string }[] {
  return calls.flatMap(({ callee, args: [node] }) =>
    /^[Pp]rocedure\.(run|spawn)$/.test(callee) && node !== undefined ? [{ node, callee }] : [],
  );
}

export function procedureCandidates(name: string, entry: string): string[] {
  const path = name.replace(/^\.\//, '');
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
  return [path, `${path}.tac`, folder + path, `${folder}${path}.tac`];
}
