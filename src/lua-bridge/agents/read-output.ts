import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { jsonAnswer } from '../../contract/models/json-answer.js';
import type { ModelCallResult } from '../../contract/models/model-call.js';
import { parseAnswer } from '../models/parse-answer.js';
import { checkValue } from '../values/schema.js';
import type { TurnRequest } from './turn-request.js';

/** The JSON that the text is, which must fit the agent's schema where it has one; else the text. */
export function readOutput({ agent, isLenient }: TurnRequest, answer: ModelCallResult): JsonValue {
  const { text, isJson } = answer;
  if (agent.output === null) return (isJson === true && !agent.isLowerCase ? jsonAnswer(text) : null) ?? text;
  try {
    return checkValue(agent.output, parseAnswer(answer), {
      code: 'model_call_failed',
      unknown: 'keep',
      requireAll: true,
    });
  } catch (error) {
    if (isLenient && error instanceof TactusError) return text;
    throw error;
  }
}
