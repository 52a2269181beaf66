import type { Node } from './syntax/ast.js';
import type { AnalysedProgram } from './program/analysed-program.js';
import type { Severity } from './diagnostic.js';
import type { SourceFile } from './syntax/source-file.js';

/** What a rule found. */
export interface Finding {
  node: Node;
  message: string;
  /** What to write instead. */
  suggestion: string;
  /** Where it is graver or milder than the rule mostly is. */
  severity?: Severity;
}

/** One kind of mistake, looked for in one file of a procedure after the other. */
export interface Rule {
  code: string;
  severity: Severity;
  check(file: SourceFile, program: AnalysedProgram): Iterable<Finding>;
}
