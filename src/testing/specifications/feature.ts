import { TactusError } from '../../contract/errors.js';
import { readGherkin } from './gherkin.js';

/** A scenario with its background's steps and its outline's values filled in. */
export interface Scenario {
  feature: string;
  name: string;
  /** With the `@`. */
  tags: string[];
  steps: string[];
}

/**
 * Reads Gherkin.
 * @throws TactusError source_invalid with the line in the file that holds it; `line` is that of its first one
 */
export function readFeature(text: string, file: string, line: number): Scenario[] {
  const read = readGherkin(text, file);
  if ('problems' in read) {
    const [problem] = read.problems;
    const place = line + (problem?.line ?? 1) - 1;
    const advice = problem?.suggestion == null ? '' : `; ${problem.suggestion}`;
    throw new TactusError(
      'source_invalid',
      `${file}:${place}: this is no Gherkin: ${problem?.message ?? ''}${advice}`,
      { file, line: place },
    );
  }
  const feature = read.document.feature?.name ?? '';
  return read.pickles.map(({ name, tags, steps }) => ({
    feature,
    name,
    tags: tags.map((tag) => tag.name),
    steps: steps.map((step) => step.text),
  }));
}
