import type { AnalysedProgram } from '../program/analysed-program.js';
import { candidatesOf, requiredIn } from '../program/required-files.js';
import type { Rule } from '../rule.js';
import { functionAround } from '../syntax/ast.js';
import type { SourceFile } from '../syntax/source-file.js';

/** Modules that require each other while they load. */
export const cyclicRequire: Rule = {
  code: 'cyclic_require',
  severity: 'error',
  *check(file, program) {
    for (const { node, target } of loadedBy(file, program)) {
      const way = wayBack(target, file, program, []);
      if (way !== null)
        yield {
          node,
          message: `${[file, ...way].map(({ name }) => name).join(' requires ')}: none of them can be loaded first`,
          suggestion: 'move what both need into a third file',
        };
    }
  },
};

/** What is required at the top of a file, and so while it loads. */
function loadedBy(
  file: SourceFile,
  { files, source }: AnalysedProgram,
): { node: SourceFile['nodes'][number]; target: SourceFile }[] {
  return requiredIn(file).flatMap(({ node, name }) => {
    if (name === null || functionAround(node, file.parents) !== null) return [];
    const path = candidatesOf(name, source.entry).find((each) => Object.hasOwn(source.files, each));
    const target = files.find((each) => each.name === path);
    return target === undefined ? [] : [{ node, target }];
  });
}

/** The files from one to another; null where no way leads there. */
function wayBack(
  from: SourceFile,
  to: SourceFile,
  program: AnalysedProgram,
  passed: readonly SourceFile[],
): SourceFile[] | null {
  if (from === to) return [from];
  if (passed.includes(from)) return null;
  for (const { target } of loadedBy(from, program)) {
    const rest = wayBack(target, to, program, [...passed, from]);
    if (rest !== null) return [from, ...rest];
  }
  return null;
}
