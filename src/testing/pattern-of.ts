import { StepProblem } from './step-definition.js';

/**
 * A regular expression as Python writes it: its named groups are spelt differently here, all else is common.
 * @throws StepProblem where it is none
 */
export function patternOf(pattern: string, flags = ''): RegExp {
  const inlined = /^\(\?([ims]+)\)/.exec(pattern);
  const body = pattern.slice(inlined?.[0].length ?? 0).replaceAll('(?P<', '(?<');
  try {
    return new RegExp(body, `${flags}${inlined?.[1] ?? ''}`);
  } catch (error) {
    throw new StepProblem(`${pattern} is no regular expression: ${(error as Error).message}`);
  }
}
