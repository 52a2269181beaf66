import type { ChangePlan } from '../../contract/changes/plan.js';
import { askedAgainText } from '../../contract/changes/asked-again-text.js';
import type { Divergence } from '../../contract/changes/proof.js';
import type { NamedCheckpoint } from '../../contract/errors.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';

/** Lines that are shown of each list; the rest is counted. */
const mostLines = 20;

/** A plan, for people. @param source the new one, of which the line is shown that doesn't fit */
export function planLines(plan: ChangePlan, source: ProcedureSource | undefined): string[] {
  const { kept, diverges, fails, changed, again, requests, children } = plan;
  return [
    `Kept: ${checkpointCount(kept)}`,
    ...(diverges === null ? [] : divergenceLines(diverges, source)),
    ...(fails === null ? [] : [`It fails before it asks for anything new: ${fails.message}`]),
    ...list(
      'Changed, and kept as it was answered:',
      changed.map(({ position, name, settings }) => `${position}  ${name}: ${settings.join(', ')}`),
    ),
    ...list('Asked for again:', again.map(askedAgainText)),
    ...list(
      'Open requests:',
      requests.map(({ id, becomes }) => `${id}  ${becomes.replace('_', ' ')}`),
    ),
    ...list(
      'Child runs:',
      children.map(({ run_id: id, becomes }) => `${id}  ${becomes.replace('_', ' ')}`),
    ),
    ...costLine(plan),
  ];
}

function list(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - mostLines;
  const shown = more > 1 ? [...lines.slice(0, mostLines), `and ${more} more`] : lines;
  return [title, ...shown.map((line) => `  ${line}`)];
}

/** Where a source doesn't fit, with its line underlined. @param source the new one */
export function divergenceLines(
  { position, file, line, expected, found, message }: Divergence,
  source: ProcedureSource | undefined,
): string[] {
  const place = file === null || line === null ? '' : `, ${file}:${line}`;
  const now = found === null ? [] : Array.isArray(found) ? found : [found];
  return [
    `It doesn't fit at ${position}${place}:`,
    ...(file === null || line === null ? [] : sourceLines(source, file, line)),
    `  recorded: ${described(expected)}`,
    `  now:      ${now.length === 0 ? 'its end' : now.map(described).join(', ')}`,
    ...(line === null ? [`  ${message}`] : []),
  ];
}

/** A line of a source, underlined; nothing where it has none. */
export function sourceLines(source: ProcedureSource | undefined, file: string, number: number): string[] {
  const text = source?.files[file]?.split('\n')[number - 1];
  if (text === undefined) return [];
  const line = text.trimEnd().replaceAll('\t', ' ');
  const blank = line.length - line.trimStart().length;
  return [`    ${line}`, `    ${' '.repeat(blank)}${'^'.repeat(line.length - blank)}`];
}

export function described({ position, type, name }: NamedCheckpoint): string {
  return `${type}${name === undefined || name === null ? '' : ` '${name}'`} at ${position}`;
}

function costLine({ cost_usd: { kept, estimated } }: ChangePlan): string[] {
  if (kept === 0 && estimated === 0) return [];
  const dollars = (amount: number | null): string =>
    amount === null ? 'an unknown amount' : `$${amount.toFixed(4)}`;
  return [`Cost: ${dollars(kept)} is kept; what is asked of models again cost ${dollars(estimated)} before`];
}

/** `1 checkpoint`, `2 checkpoints`. */
export function checkpointCount(count: number): string {
  return `${count} ${count === 1 ? 'checkpoint' : 'checkpoints'}`;
}
