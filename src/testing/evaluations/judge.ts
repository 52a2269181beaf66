import { WorkflowFailedError } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import type { TestEnvironment } from '../../worker/index.js';
import type { Judge, Opinion } from '../specifications/step-definition.js';
import { workflowType } from '../../contract/names.js';
import type { StartInput } from '../../contract/runs/start-input.js';

/**
 * Asks a model whether a text meets a rubric, in a run of its own.
 * @returns `ok`, and the reason in one sentence; a judge that fails says no, with why it failed
 */
export async function judge(
  environment: TestEnvironment,
  question: {
    rubric: string;
    text: string;
    /** Such as `openai/gpt-5-mini`; left out: the one of agents that name none. */
    model?: string;
  },
): Promise<Opinion> {
  const { rubric, text, model = null } = question;
  const opinion = await judgeOf(environment, false)({ rubric, text, model });
  return opinion as Opinion; // null only where no model may be asked
}

/** The judge is a procedure as well: what it is told and says stands in a history, and failures are tried again. */
const procedure = `
Procedure {
  input = { rubric = field.string{required = true}, text = field.string{required = true}, model = field.string{} },
  output = { ok = field.boolean{required = true}, reason = field.string{required = true} },
  function(input)
    local judge = Agent {
      model = input.model,
      temperature = 0,
      system_prompt = "You judge whether a text meets a rubric. Be strict, and say why in one sentence.",
      output = { ok = field.boolean{required = true}, reason = field.string{required = true} },
    }
    return judge({ message = "Rubric: " .. input.rubric .. "\\n\\nText: " .. input.text }).output
  end,
}`;

/**
 * Opinions of a model, each by a run of its own; none with `mock`. `byDefault` is asked where a question names no model;
 * null: the one that is there for agents that name none.
 */
export function judgeOf(
  { client, taskQueue }: TestEnvironment,
  mock: boolean,
  byDefault: string | null = null,
): Judge {
  return async ({ rubric, text, model: named }) => {
    if (mock) return null;
    const model = named ?? byDefault;
    const input = { rubric, text, ...(model === null ? {} : { model }) };
    const start: StartInput = { source: { entry: 'judge.tac', files: { 'judge.tac': procedure } }, input };
    const workflowId = `judge-${randomUUID().slice(0, 8)}`;
    try {
      return (await client.workflow.execute(workflowType, {
        args: [start],
        workflowId,
        taskQueue,
      })) as Opinion;
    } catch (error) {
      // What can't be judged hasn't passed.
      if (!(error instanceof WorkflowFailedError)) throw error;
      return { ok: false, reason: `the judge failed: ${error.cause?.message ?? error.message}` };
    }
  };
}
