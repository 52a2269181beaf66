import { sha256Hex } from '../effects/digest.js';

/** Variants of an experiment, each with its weight. */
export type Weights = Record<string, number>;

/** So many variants an experiment has at most, and so many experiments a run. */
export const mostVariants = 20;
export const mostExperiments = 20;

/**
 * The variant that a run of this id has in an experiment. It follows from both alone, whatever the order in which variants are written.
 * @param weights of one variant at least, all above 0
 */
export function variantFor(experiment: string, runId: string, weights: Weights): string {
  const names = Object.keys(weights).sort();
  const total = names.reduce((sum, name) => sum + (weights[name] ?? 0), 0);
  let left = drawn(`experiment\n${experiment}\n${runId}`) * total;
  return names.find((name) => (left -= weights[name] ?? 0) < 0) ?? names.at(-1) ?? '';
}

/** A number from 0 up to 1 that follows from a text. */
export function drawn(text: string): number {
  return parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
}
