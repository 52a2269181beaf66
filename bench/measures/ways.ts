/** Null: there is nothing to measure; an error: why it couldn't be. */
export type Figure = number | null | Error;

/** One figure of each way to ask a model, in the same unit: by the AI SDK alone, by an agent here, by `@temporalio/ai-sdk`. */
export interface Ways {
  what: string;
  unit: string;
  alone: Figure;
  here: Figure;
  aiSdk: Figure;
}

/** What the work gives, or what it fails with. */
export function orError<T>(work: Promise<T>): Promise<T | Error> {
  return work.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}

/** As Markdown, with the errors below. A ratio says how many times the other figure the one here is. */
export function asMarkdown(rows: readonly Ways[]): string {
  const notes: string[] = [];
  const lines = [
    ['what', 'AI SDK alone', 'here', 'by ai-sdk', 'here / alone', 'here / by ai-sdk'],
    Array<string>(6).fill('---'),
    ...rows.map(({ what, unit, alone, here, aiSdk }) => [
      what,
      ...[alone, here, aiSdk].map((figure) => shown(figure, unit, notes)),
      ...[alone, aiSdk].map((other) => ratio(here, other)),
    ]),
  ];
  return [
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    ...notes.map((note, i) => `\n(${i + 1}) ${note}`),
  ].join('\n');
}

function shown(figure: Figure, unit: string, notes: string[]): string {
  if (figure === null) return '–';
  if (typeof figure === 'number') return `${figure.toFixed(Math.abs(figure) < 100 ? 1 : 0)} ${unit}`;
  if (!notes.includes(figure.message)) notes.push(figure.message);
  return `– (${notes.indexOf(figure.message) + 1})`;
}

function ratio(here: Figure, other: Figure): string {
  return typeof here === 'number' && typeof other === 'number' ? (here / other).toFixed(2) : '–';
}
