import { getOwn } from '../../contract/json/json.js';
import {
  fieldOf,
  namedFields,
  stringValue,
  type Expression,
  type Node,
  type TableKeyString,
} from '../syntax/ast.js';
import type { Finding, Rule } from '../rule.js';

const retries = 'write retries = 2: how often a call that fails is tried again';
const bounds = 'leave it out: max_tool_followup_rounds bounds the model calls of one turn';

/** What the reference takes and does nothing with, or does with what isn't there, by what is declared. */
const ignored: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  agent: {
    ...{ response: retries, max_attempts: retries, max_turns: bounds, request_limit: bounds },
    disable_streaming: 'leave it out: text is streamed to whoever follows the run',
    max_input_tokens: 'write filter = filters.token_budget(…)',
    model_attempt_call_id: 'leave it out: each call has a key of its own',
    module: 'leave it out: a Module { … } has a strategy',
    steering_enabled: 'leave it out',
  },
  module: {
    ...{ input: 'write it into the signature', output: 'write it into the signature' },
    ...{ tool_choice: 'leave it out: a module calls no tools', verbose: 'leave it out' },
  },
  procedure: {
    async: 'leave it out: whoever starts the run chooses whether to wait',
    default_model: 'write default_model("…") at the top of the file',
    default_provider: 'write default_provider("…") at the top of the file',
    max_depth: 'write max_depth(…) at the top of the file',
    max_turns: 'leave it out: turns are bounded by the limits of a run',
    prompts: 'write Prompt("name", "text") at the top of the file',
  },
};

/** A key that is taken, so that a file of the reference runs, and that changes nothing. */
export const ignoredSetting: Rule = {
  code: 'ignored_setting',
  severity: 'warning',
  *check(file, { declared }) {
    for (const { kind, config, file: home } of declared) {
      if (home !== file || config === null) continue;
      const keys = config.fields.filter((each): each is TableKeyString => each.type === 'TableKeyString');
      for (const { key, value } of keys) {
        if (kind === 'procedure' && key.name === 'dependencies') yield* unusedDependencies(key, value);
        const suggestion = getOwn(getOwn(ignored, kind) ?? {}, key.name);
        if (suggestion !== undefined)
          yield { node: key, message: `${key.name} has no effect here`, suggestion };
      }
    }
  },
};

/** Databases and their like; the key itself where it declares nothing. */
function* unusedDependencies(key: Node, value: Expression): Generator<Finding, void, undefined> {
  if (value.type !== 'TableConstructorExpression') return;
  const suggestion = 'leave it out: only the type http_client is there; ask all else in a tool';
  if (value.fields.length === 0)
    yield { node: key, message: 'dependencies has no effect here', suggestion: 'leave it out' };
  for (const { key: name, node, value: config } of namedFields(value)) {
    const type = config.type === 'TableConstructorExpression' ? stringValue(fieldOf(config, 'type')) : null;
    if (type !== null && type !== 'http_client')
      yield {
        node,
        message: `the dependency ${name} has no effect here: it is of the type ${type}`,
        suggestion,
      };
  }
}
