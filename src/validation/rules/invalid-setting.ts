import { fieldOf, stringValue, type TableConstructorExpression } from '../syntax/ast.js';
import { numberOf } from '../syntax/literal-kind.js';
import { wantsResponses } from '../program/providers.js';
import type { Finding, Rule } from '../rule.js';

/** Settings of agents and models outside of what their providers and hosts take. */
export const invalidSetting: Rule = {
  code: 'invalid_setting',
  severity: 'error',
  *check(file, { declared }) {
    for (const { kind, config, file: home } of declared) {
      if (home !== file) continue;
      const temperature = fieldOf(config, 'temperature');
      const degrees = temperature === undefined ? null : numberOf(temperature);
      if (temperature !== undefined && degrees !== null && (degrees < 0 || degrees > 2))
        yield {
          node: temperature,
          message: `temperature must be a number from 0 to 2, got ${degrees}`,
          suggestion: 'write temperature = 0.7',
        };
      const maxTokens = fieldOf(config, 'max_tokens');
      const tokens = maxTokens === undefined ? null : numberOf(maxTokens);
      if (maxTokens !== undefined && tokens !== null && tokens < 1)
        yield {
          node: maxTokens,
          message: `max_tokens must be a positive integer, got ${tokens}`,
          suggestion: 'write max_tokens = 500',
        };
      const choice = fieldOf(config, 'tool_choice');
      const chosen = stringValue(choice);
      if (
        kind === 'agent' &&
        choice !== undefined &&
        chosen !== null &&
        !['auto', 'required', 'none'].includes(chosen)
      )
        yield {
          node: choice,
          severity: 'warning',
          message: `tool_choice "${chosen}" is not read`,
          suggestion: 'use "auto", "required", "none" or { name = "a_tool" }',
        };
      yield* chatInBackground(config);
      const endpoint = fieldOf(config, 'endpoint');
      const address = stringValue(endpoint);
      const type = stringValue(fieldOf(config, 'type'));
      // SageMaker's endpoints have names.
      const addressed = kind === 'model' && type !== 'sagemaker';
      if (addressed && endpoint !== undefined && address !== null && !/^https?:\/\//.test(address))
        yield {
          node: endpoint,
          message: 'endpoint must be an http or https address',
          suggestion: 'write endpoint = "https://…"',
        };
      if (kind === 'model' && type === 'http' && endpoint === undefined && config !== null)
        yield {
          node: config,
          message: 'A model of the type "http" needs an endpoint',
          suggestion: 'add endpoint = "https://…"',
        };
    }
  },
};

/** `background = true` without the one API that has it. */
function* chatInBackground(config: TableConstructorExpression | null): Generator<Finding, void, undefined> {
  const background = fieldOf(config, 'background');
  if (background?.type !== 'BooleanLiteral' || !background.value) return;
  if (!wantsResponses(config))
    yield {
      node: background,
      message: 'background = true needs the API that OpenAI calls Responses',
      suggestion: 'add model_type = "responses"',
    };
}
