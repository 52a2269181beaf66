/** Rules about the files that a procedure requires or runs. */
import { closest } from '../program/did-you-mean.js';
import {
  candidatesOf,
  isBuiltIn,
  misCased,
  procedureCandidates,
  procedureFiles,
  requiredIn,
} from '../program/required-files.js';
import type { Rule } from '../rule.js';
import { functionAround, stringValue } from '../syntax/ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import type { SourceFile } from '../syntax/source-file.js';

/** `require` of a file that isn't there. */
export const moduleNotFound: Rule = {
  code: 'module_not_found',
  severity: 'error',
  *check(file, { source, surroundings: { nearby } }) {
    for (const { node, name } of requiredIn(file)) {
      if (name === null || isBuiltIn(name)) continue;
      const candidates = candidatesOf(name, source.entry);
      if (candidates.some((each) => Object.hasOwn(source.files, each))) continue;
      if (misCased(candidates, nearby) !== null) continue;
      const path = candidates[0] ?? '';
      const meant = closest(
        path,
        nearby.filter((each) => each !== source.entry),
      );
      yield {
        node,
        message: `There is no module "${name}": looked for ${candidates.join(', ')}`,
        suggestion:
          meant === null
            ? 'modules are named from the folder of the procedure, with dots between folders'
            : `did you mean ${meant}?`,
      };
    }
  },
};

/** `Procedure.run` of a file that isn't there. */
export const procedureNotFound: Rule = {
  code: 'procedure_not_found',
  severity: 'error',
  *check(file, { source, surroundings: { nearby } }) {
    for (const { node, callee } of procedureFiles(file)) {
      const name = stringValue(node);
      if (name === null) continue;
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

/** A file that is named with other upper and lower case: some machines find it, and others don't. */
export const wrongCase: Rule = {
  code: 'wrong_case',
  severity: 'error',
  *check(file, { source: { entry, files }, surroundings: { nearby } }) {
    const named = [
      ...requiredIn(file).map(({ node, name }) => ({
        ...{ node, name },
        candidates: name === null || isBuiltIn(name) ? [] : candidatesOf(name, entry),
      })),
      ...procedureFiles(file).map(({ node }) => ({
        ...{ node, name: stringValue(node) },
        candidates: procedureCandidates(stringValue(node) ?? '', entry),
      })),
    ];
    for (const { node, name, candidates } of named) {
      if (name === null || candidates.some((each) => Object.hasOwn(files, each))) continue;
      const there = misCased(candidates, nearby);
      if (there !== null)
        yield {
          node,
          message: `There is no "${name}", but ${there}`,
          suggestion: 'mind upper and lower case',
        };
    }
  },
};

/** A file whose name is computed: it can't be sent along with the run. */
export const computedName: Rule = {
  code: 'computed_name',
  severity: 'error',
  *check(file, { globals }) {
    if (!globals.has('require'))
      for (const { node, name } of requiredIn(file))
        if (name === null)
          yield {
            node,
            message: 'require needs a literal name: modules are sent along with the run',
            suggestion: 'require each module by its name, and choose between them',
          };
    for (const { node, callee } of procedureFiles(file))
      if (stringValue(node) === null)
        yield {
          node,
          severity: 'warning',
          message: `${callee} with a computed name: a file is sent along only if its name stands in this one`,
          suggestion: 'write the names of the files in full, such as "child.tac"',
        };
  },
};

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
