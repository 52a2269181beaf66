import type { UnloadedFile } from '../../testing/several-files.js';
import type { Diagnostic, Severity } from '../../validation/index.js';
import type { Paint, Screen } from '../command.js';

/** Columns of a source line that are shown around a place. */
const longestLine = 120;

/** `file:line:column error message [code]`, the line with a caret below the place, and what to write instead. */
export function diagnosticText(found: Diagnostic, text: string | undefined, paint: Paint): string {
  const { file, line, column, severity, code, message, suggestion } = found;
  const colours: Record<Severity, (text: string) => string> = {
    ...{ error: paint.red, warning: paint.yellow, info: paint.cyan },
  };
  const head = `${paint.bold(`${file}:${line}:${column}`)} ${colours[severity](severity)} ${message} ${paint.dim(`[${code}]`)}`;
  const source = text === undefined ? [] : sourceLines(text, line, column);
  const advice = suggestion === null ? [] : [paint.dim(`      = ${suggestion}`)];
  return [head, ...source, ...advice].join('\n');
}

function sourceLines(text: string, line: number, column: number): string[] {
  const written = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '').replace(/^\ufeff/, '');
  const from = Math.max(0, column - longestLine);
  const shown = written.slice(from, from + longestLine);
  const before = shown.slice(0, column - 1 - from).replace(/[^\t]/g, ' ');
  return [`${String(line).padStart(5)} | ${shown}`, `      | ${before}^`];
}

/** `2 errors, 1 warning in 3 files`, or that all is well. */
export function summaryText(diagnostics: readonly Diagnostic[], files: readonly string[]): string {
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => [severity, diagnostics.filter((each) => each.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => counted(count, severity === 'info' ? 'hint' : severity));
  const isValid = diagnostics.every(({ severity }) => severity !== 'error');
  const where = files.length === 1 ? (files[0] ?? '') : counted(files.length, 'file');
  return `${where}: ${isValid ? 'valid' : 'not valid'}${counts.length === 0 ? '' : `, ${counts.join(', ')}`}`;
}

/** A file of several that couldn't be loaded, and why. */
export function unloadedText({ file, error }: UnloadedFile, paint: Screen['paint']): string {
  return `${paint.red('✗')} ${file} can't be loaded\n${error.message.replace(/^/gm, '        ')}`;
}
