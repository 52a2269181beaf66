import {
  argumentsOf,
  providerToolProblem,
  providerToolSources,
} from '../../contract/models/provider-tool.js';
import { fieldOf, namedFields } from '../syntax/ast.js';
import { closest } from '../program/did-you-mean.js';
import { providedIn } from '../program/providers.js';
import type { Rule } from '../rule.js';

/** `provider = "openai.websearch"`, or settings that the provider's tool doesn't have. */
export const unknownProviderTool: Rule = {
  code: 'unknown_provider_tool',
  severity: 'error',
  *check(file, program) {
    for (const { source, node, config } of providedIn(file, program)) {
      const missing = providerToolProblem(source, {});
      if (missing !== null) {
        const meant = closest(source, providerToolSources)?.replace('provider.', '');
        const suggestion = meant === undefined ? 'name one that is there' : `did you mean "${meant}"?`;
        yield { node, message: missing, suggestion };
        continue;
      }
      const args = fieldOf(config, 'args');
      if (args?.type !== 'TableConstructorExpression') continue;
      for (const { key, node: at } of namedFields(args)) {
        const message = providerToolProblem(source, { [key]: null });
        const meant = closest(key, argumentsOf(source) ?? []);
        const suggestion = meant === null ? `leave ${key} out` : `did you mean ${meant}?`;
        if (message !== null) yield { node: at, message, suggestion };
      }
    }
  },
};
