import { AstBuilder, compile, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import { IdGenerator } from '@cucumber/messages';
import { TactusError } from '../contract/errors.js';

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
  const newId = IdGenerator.incrementing();
  try {
    const document = new Parser(new AstBuilder(newId), new GherkinClassicTokenMatcher()).parse(text);
    const feature = document.feature?.name ?? '';
    return compile(document, file, newId).map(({ name, tags, steps }) => ({
      feature,
      name,
      tags: tags.map((tag) => tag.name),
      steps: steps.map((step) => step.text),
    }));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const at = /\((\d+):(\d+)\): (.*)/.exec(message);
    const place = at === null ? line : line + Number(at[1]) - 1;
    throw new TactusError('source_invalid', `${file}:${place}: this is no Gherkin: ${at?.[3] ?? message}`, {
      file,
      line: place,
    });
  }
}
