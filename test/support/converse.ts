import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import type { ModelCall, ModelCallResult, ToolCall } from '../../src/contract/models/model-call.js';
import { answerOf, runFake, type FakeOptions, type FakeRun } from './fake-host.js';

export type Answer = Partial<ModelCallResult>;

export const toolCall = (name: string, args: JsonValue = {}, id = `call_${name}`): ToolCall => ({
  id,
  name,
  arguments: args,
});

/** Runs a procedure against a model that gives these answers, one after another; keeps what it was asked. */
export function converse(
  source: string,
  answers: Answer[],
  options: FakeOptions = {},
): FakeRun & { calls: ModelCall[]; output: JsonValue } {
  const calls: ModelCall[] = [];
  const run = runFake(source, {
    ...options,
    perform: (effect, request) => {
      if (effect.kind !== 'model_call') return (options.perform ?? answerOf)(effect, request);
      calls.push(effect.call);
      return {
        ...(answerOf(effect, request) as JsonObject),
        ...(answers[calls.length - 1] as JsonObject | undefined),
      };
    },
  });
  return {
    ...run,
    calls,
    output: run.ended?.kind === 'completed' ? run.ended.output : (run.ended?.error.message ?? null),
  };
}

/** What a call sent of the conversation: `user: hi | assistant: hello`. */
export function sent(call: ModelCall | undefined): string {
  return (call?.messages ?? []).map(({ role, content }) => `${role}: ${content}`).join(' | ');
}
