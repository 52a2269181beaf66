import type { ProcedureSource } from '../../dist/contract/procedures/source.js';

/** Of the worker that streams through a broker. */
export const streamsTaskQueue = 'tactus-streams';

/** Of one that streams within the process of the bench. */
export const memoryTaskQueue = 'tactus-memory';

/** Environment of a worker whose models are the stand-in's. */
export const workerEnvironment = (provider: string): Record<string, string> => ({
  ...{ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: provider },
});

const source = (text: string): ProcedureSource => ({ entry: 'main.tac', files: { 'main.tac': text } });

const questionsOf = (agent: string): ProcedureSource =>
  source(`${agent}
Procedure {
  input = { questions = field.array{required = true} },
  function(input)
    for _, question in ipairs(input.questions) do asked(question) end
  end
}`);

/** Each question by itself. */
export const askProcedure = questionsOf(
  'asked = Agent { model = "openai/gpt-x", message_history = { mode = "isolated" } }',
);

/** The questions of one conversation, with a tool that reads pages. */
export const converseProcedure = questionsOf(
  'asked = Agent { model = "openai/gpt-x", tools = { "host.read_page" } }',
);

/** Says a word to those who look on, and a question's answer when they are there; people approve meanwhile. */
export const writeProcedure = source(`writer = Agent { model = "openai/gpt-x" }
Procedure {
  input = { question = field.string{required = true}, approvals = field.integer{default = 0} },
  function(input)
    writer("Begin")
    Event.wait("go")
    Parallel {
      function() writer(input.question) end,
      function()
        for i = 1, input.approvals do Human.approve("Approval " .. i) end
      end,
    }
  end
}`);
