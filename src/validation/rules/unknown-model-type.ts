import { modelTypes } from '../../lua-bridge/index.js';
import type { Rule } from '../rule.js';
import { closest } from '../program/did-you-mean.js';
import { fieldOf, stringValue } from '../syntax/ast.js';

/** `Model {type = "htpp"}`. */
export const unknownModelType: Rule = {
  code: 'unknown_model_type',
  severity: 'error',
  *check(file, { declared }) {
    for (const { kind, config, file: home } of declared) {
      if (kind !== 'model' || home !== file) continue;
      const node = fieldOf(config, 'type');
      const type = stringValue(node);
      if (node === undefined || type === null || modelTypes.includes(type)) continue;
      const meant = closest(type, modelTypes);
      yield {
        node,
        message: `Models of the type "${type}" are not known`,
        suggestion: meant === null ? `the types are ${modelTypes.join(', ')}` : `did you mean "${meant}"?`,
      };
    }
  },
};
