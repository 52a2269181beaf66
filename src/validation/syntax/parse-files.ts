import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { Diagnostic } from '../diagnostic.js';
import { parse } from './parse.js';
import { candidatesOf, includedIn, requiredIn } from '../program/required-files.js';
import { toSourceFile, type SourceFile } from './source-file.js';

/** The entry, what it requires, and whose tasks it includes, directly or not; what it runs as procedures is validated by itself. */
export function parseFiles(source: ProcedureSource): { files: SourceFile[]; diagnostics: Diagnostic[] } {
  const files: SourceFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name) || !Object.hasOwn(source.files, name)) return;
    seen.add(name);
    const parsed = parse(source.files[name] ?? '');
    if ('problem' in parsed) {
      diagnostics.push({ file: name, severity: 'error', code: 'syntax_error', ...parsed.problem });
      return;
    }
    const file = toSourceFile(name, parsed);
    files.push(file);
    for (const { name: module } of requiredIn(file)) {
      const found =
        module === null
          ? undefined
          : candidatesOf(module, source.entry).find((each) => Object.hasOwn(source.files, each));
      if (found !== undefined) visit(found);
    }
    for (const included of includedIn(file)) visit(included);
  };
  visit(source.entry);
  return { files, diagnostics };
}
