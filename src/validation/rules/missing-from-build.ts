import { modelTypes, modelTypesHere } from '../../lua-bridge/index.js';
import { fieldOf, textOf } from '../ast.js';
import type { Rule } from '../rule.js';

/** A part of the language that this build doesn't run: models of other types can be declared, and answered by a mock. */
export const missingFromBuild: Rule = {
  code: 'missing_from_build',
  severity: 'warning',
  *check(file, { declared }) {
    for (const { kind, config, file: home } of declared) {
      if (kind !== 'model' || home !== file) continue;
      const node = fieldOf(config, 'type');
      const type = textOf(node) ?? '';
      if (node !== undefined && modelTypes.includes(type) && !modelTypesHere.includes(type))
        yield {
          node,
          message: `Models of the type "${type}" are Tactus, but this version doesn't run them`,
          suggestion: 'serve the model by HTTP, and declare it with type = "http"',
        };
    }
  },
};
