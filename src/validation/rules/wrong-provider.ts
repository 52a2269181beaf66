import { needsResponses, runnerOf } from '../../contract/models/provider-tool.js';
import { providedTo, wantsResponses, writtenProviders } from '../program/providers.js';
import type { Rule } from '../rule.js';

/** An agent whose model can't have a tool: another provider runs it, or it is there by another API alone. */
export const wrongProvider: Rule = {
  code: 'wrong_provider',
  severity: 'error',
  *check(file, program) {
    for (const agent of program.declared) {
      if (agent.kind !== 'agent' || agent.file !== file) continue;
      const providers = writtenProviders(agent, program);
      for (const { item, tool } of providedTo(agent, program)) {
        const runner = runnerOf(tool.source);
        const name = tool.source.replace('provider.', '');
        if (!providers.some((each) => each === null || each === runner))
          yield {
            node: item,
            message: `${runner} runs ${name} for its own models alone, and the agent's model is of ${providers.join(', ')}`,
            suggestion: `give the agent a model of ${runner}, or take the tool away`,
          };
        else if (needsResponses(tool.source) && !wantsResponses(agent.config))
          yield {
            node: item,
            message: `${name} needs the API that OpenAI calls Responses`,
            suggestion: 'add model_type = "responses" to the agent',
          };
      }
    }
  },
};
