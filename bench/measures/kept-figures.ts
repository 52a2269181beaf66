import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Comparison } from './compare.ts';

/** Ratios of `npm run bench` by the version that they were measured with, the oldest first. */
type KeptFigures = Record<string, Record<string, number>>;

const file = new URL('../figures.json', import.meta.url);
/** Two runs of the bench differ by some hundredths: what is more is worth a look. */
const noticed = 0.05;

export interface EarlierFigures {
  version: string;
  ratios: Record<string, number>;
}

/** Of the newest version that has any but this one; null: there is none. */
export function earlierFigures(version: string): EarlierFigures | null {
  const kept = readKept();
  const before = Object.keys(kept)
    .filter((each) => each !== version)
    .at(-1);
  return before === undefined ? null : { version: before, ratios: kept[before] ?? {} };
}

/** Keeps the figures of a version in the repository, in place of those that it had. */
export function keepFigures(version: string, rows: readonly Comparison[]): void {
  const ratios = rows.map(({ what, ours, native }): [string, number] => [
    what,
    Number((ours / native).toFixed(2)),
  ]);
  const { [version]: _replaced, ...others } = readKept();
  writeFileSync(file, `${JSON.stringify({ ...others, [version]: Object.fromEntries(ratios) }, null, 2)}\n`);
}

/** As Markdown: each figure beside that of an earlier version, and what got worse or better by more than chance. */
export function printBeside(
  columns: readonly [string, string],
  rows: readonly Comparison[],
  earlier: EarlierFigures | null,
): void {
  const head = [
    'what',
    ...columns,
    'ratio',
    ...(earlier === null ? [] : [`ratio of ${earlier.version}`, 'change']),
  ];
  console.log(`| ${head.join(' | ')} |\n|${' --- |'.repeat(head.length)}`);
  for (const { what, unit, ours, native } of rows) {
    // What the garbage collector took meanwhile can make a figure of memory less than nothing: there is no ratio then.
    const ratio = ours > 0 && native > 0 ? ours / native : null;
    const before = earlier?.ratios[what];
    const beside =
      before === undefined || ratio === null
        ? ['–', '–']
        : [before.toFixed(2), changeText(ratio / before - 1)];
    const cells = [
      what,
      `${ours.toFixed(1)} ${unit}`,
      `${native.toFixed(1)} ${unit}`,
      ratio?.toFixed(2) ?? '–',
    ];
    console.log(`| ${[...cells, ...(earlier === null ? [] : beside)].join(' | ')} |`);
  }
}

function changeText(change: number): string {
  const percent = `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)} %`;
  if (Math.abs(change) <= noticed) return percent;
  return `**${percent}, ${change > 0 ? 'worse' : 'better'}**`;
}

function readKept(): KeptFigures {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptFigures) : {};
}
