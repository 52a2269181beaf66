/** A mean, or a share of yes, with the interval that covers the true one in 95 of 100 such samples. */
export interface Estimate {
  /** How many runs it is made of. */
  count: number;
  mean: number;
  /** null: one run alone says nothing of it. */
  low: number | null;
  high: number | null;
}

/** Quantile of the normal distribution for 95 %. */
const z = 1.959964;
/** Those of Student's distribution, for 1 to 10 degrees of freedom. */
const student = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281];

/**
 * Of values of runs; null: there are none. Yes and no (1 and 0) have Wilson's interval (E. B. Wilson, 1927: Probable inference, the law of
 * succession, and statistical inference), all others Student's.
 */
export function estimate(values: readonly number[], isShare = false): Estimate | null {
  const count = values.length;
  if (count === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (isShare) return { count, mean, ...wilson(mean, count) };
  if (count === 1) return { count, mean, low: null, high: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = studentQuantile(count - 1) * Math.sqrt(variance / count);
  return { count, mean, low: mean - half, high: mean + half };
}

function wilson(share: number, count: number): { low: number; high: number } {
  const spread = z ** 2 / count;
  const centre = (share + spread / 2) / (1 + spread);
  const half = (z / (1 + spread)) * Math.sqrt((share * (1 - share)) / count + spread / (4 * count));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5, where the table ends. */
function studentQuantile(freedom: number): number {
  return (
    student[freedom - 1] ??
    z +
      (z ** 3 + z) / (4 * freedom) +
      (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
      (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3)
  );
}
