/** What one unit costs at a small size and at a large one, in the same unit of measure. */
export interface Growth {
  what: string;
  unit: string;
  small: number;
  large: number;
}

/** The small size and the large one. */
export type Sizes = readonly [small: number, large: number];

/** Columns of `asRow`. */
export const growthHead =
  '| what | sizes | at the small size | at the large one | ratio | load |\n| --- | --- | --- | --- | --- | --- |';

/** As a row of Markdown. */
export function asRow({ what, unit, small, large }: Growth, sizes: Sizes, load: number): string {
  const digits = Math.min(small, large) < 1 ? 3 : 1;
  const cells = [
    ...[what, sizes.map((size) => size.toLocaleString('en')).join(' / ')],
    ...[small, large].map((figure) => `${figure.toFixed(digits)} ${unit}`),
    ...[(large / small).toFixed(2), load.toFixed(1)],
  ];
  return `| ${cells.join(' | ')} |`;
}
