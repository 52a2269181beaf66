import type { BacktestedRun, BacktestReport, LogEnd } from '../../contract/changes/backtest.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { jsonText } from '../command.js';
import { sideLines } from './diff-text.js';
import { described, sourceLines } from './plan-text.js';

/** Runs that are shown of each verdict; the rest is counted. */
const mostRuns = 10;

/** What the logs of past runs say of a new source, for people. */
export function backtestText(report: BacktestReport, source: ProcedureSource): string {
  const { runs, same, differs, diverges, failed } = report;
  return [
    `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}: ${same} same, ${differs} differ, ${diverges} diverge, ${failed} fail`,
    ...(['differs', 'diverges', 'failed'] as const).flatMap((verdict) => {
      const found = runs.filter((run) => run.verdict === verdict);
      const more = found.length - mostRuns;
      const lines = found.slice(0, mostRuns).flatMap((run) => runLines(run, source));
      return more > 0 ? [...lines, `and ${more} more with ${verdict}: --json has all of them`] : lines;
    }),
  ].join('\n');
}

function runLines(run: BacktestedRun, source: ProcedureSource): string[] {
  const { run_id: id, verdict, position, file, line, message, before, after } = run;
  const at = position === null ? '' : ` at ${position}`;
  const place = file === null || line === null ? '' : `, ${file}:${line}`;
  const head = `${id}  ${verdict}${at}${place}`;
  if (verdict === 'differs' && before !== null && after !== null) return [head, ...endLines(before, after)];
  const lines = file === null || line === null ? [] : sourceLines(source, file, line);
  if (verdict === 'failed') return [head, ...lines, `  ${message ?? ''}`];
  const sides = [`  recorded: ${namesOf(run.expected)}`, `  now:      ${namesOf(run.found)}`];
  // Where no line of the new source asks for it, the message has the old one.
  return [head, ...lines, ...sides, ...(line === null ? [`  ${message ?? ''}`] : [])];
}

function namesOf(checkpoints: BacktestedRun['found']): string {
  const all = checkpoints === null ? [] : Array.isArray(checkpoints) ? checkpoints : [checkpoints];
  return all.length === 0 ? 'nothing' : all.map(described).join(', ');
}

/** What of both ends differs. */
function endLines(before: LogEnd, after: LogEnd): string[] {
  const of = ({ status, output, state, error }: LogEnd): [string, string][] => [
    ['status', status],
    ['output', jsonText(output)],
    ['state', jsonText(state)],
    ['error', error === null ? 'none' : `${error.code}: ${error.message}`],
  ];
  const other = of(after);
  return of(before).flatMap(([name, text], index) => {
    const now = other[index]?.[1] ?? '';
    return text === now ? [] : [` ${name}`, ...sideLines(text, now)];
  });
}
