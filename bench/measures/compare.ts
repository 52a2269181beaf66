/** One figure of both, in the same unit; the ratio says how many times ours costs what the other costs. */
export interface Comparison {
  what: string;
  unit: string;
  ours: number;
  native: number;
}

/** Runs both in turns, ours first and last in alternate rounds, and takes the medians. */
export async function inTurns(
  rounds: number,
  ours: () => Promise<number>,
  native: () => Promise<number>,
): Promise<{ ours: number; native: number }> {
  const measured = await inRotation(rounds, { ours, native });
  return { ours: median(measured.ours), native: median(measured.native) };
}

/** Runs all in each round, which begins with another than the round before. */
export async function inRotation<Name extends string, Figure>(
  rounds: number,
  ways: Readonly<Record<Name, () => Promise<Figure>>>,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(ways) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Figure[]>;
  for (let round = 0; round < rounds; round++)
    for (const name of [...names.slice(round % names.length), ...names.slice(0, round % names.length)])
      measured[name].push(await ways[name]());
  return measured;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

export async function timed(body: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}

/** As Markdown, to be read as it is; `columns` say what is compared with what. */
export function printTable(columns: readonly [string, string], rows: readonly Comparison[]): void {
  console.log(`| what | ${columns.join(' | ')} | ratio |\n| --- | --- | --- | --- |`);
  for (const { what, unit, ours, native } of rows) {
    const [left, right] = [ours, native].map((figure) => `${figure.toFixed(1)} ${unit}`);
    console.log(`| ${what} | ${left} | ${right} | ${(ours / native).toFixed(2)} |`);
  }
}
