import { textOf } from './ast.js';
import type { SourceFile } from './source-file.js';

export interface SpecifiedFeature {
  feature: string;
  scenarios: string[];
}

/** The features that stand in a file as Gherkin texts. */
export function specificationsOf(file: SourceFile): SpecifiedFeature[] {
  return file.calls
    .filter(({ callee }) => /^[Ss]pecifications?$/.test(callee))
    .flatMap(({ args }) => {
      const text = textOf(args[0]);
      if (text === null) return [];
      const named = (pattern: RegExp): string[] =>
        Array.from(text.matchAll(pattern), ([, name = '']) => name.trim());
      return [
        {
          feature: named(/^\s*Feature:(.*)$/gm)[0] ?? '',
          scenarios: named(/^\s*(?:Scenario|Example|Scenario Outline|Scenario Template):(.*)$/gm),
        },
      ];
    });
}
