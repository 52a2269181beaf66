export type Severity = 'error' | 'warning' | 'info';

/** One thing that is wrong with a file, or may be. `line` and `column` count from 1. */
export interface Diagnostic {
  file: string;
  line: number;
  column: number;
  severity: Severity;
  code: string;
  message: string;
  /** What to write instead, where there is something. */
  suggestion: string | null;
}

/** By place; at one place what is worse comes first. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const ranks: Record<Severity, number> = { error: 0, warning: 1, info: 2 };
  const files = [...new Set(diagnostics.map(({ file }) => file))];
  return diagnostics.toSorted(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      ranks[a.severity] - ranks[b.severity],
  );
}
