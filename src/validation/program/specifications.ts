import { fieldOf, textOf } from '../syntax/ast.js';
import type { SourceFile } from '../syntax/source-file.js';

/** A feature that is specified: its text in the procedure, or `from` a file. */
export interface SpecifiedFeature {
  feature: string | null;
  scenarios: string[];
  from: string | null;
}

/** The features that a file specifies. */
export function specificationsOf(file: SourceFile): SpecifiedFeature[] {
  return file.calls
    .filter(({ callee }) => /^[Ss]pecifications?$/.test(callee))
    .flatMap(({ args }): SpecifiedFeature[] => {
      const text = textOf(args[0]);
      const from = args[0]?.type === 'TableConstructorExpression' ? textOf(fieldOf(args[0], 'from')) : null;
      if (text === null) return from === null ? [] : [{ feature: null, scenarios: [], from }];
      const named = (pattern: RegExp): string[] =>
        Array.from(text.matchAll(pattern), ([, name = '']) => name.trim());
      return [
        {
          feature: named(/^\s*Feature:(.*)$/gm)[0] ?? null,
          scenarios: named(/^\s*(?:Scenario|Example|Scenario Outline|Scenario Template):(.*)$/gm),
          from: null,
        },
      ];
    });
}
