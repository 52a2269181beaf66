import type { Effect, EffectKind } from '../../src/contract/effects/effects.js';

/** What tests know of an effect: the type checker asks for one of each kind. */
export interface EffectExample<K extends EffectKind = EffectKind> {
  /** With all that it may have. */
  effect: Extract<Effect, { kind: K }>;
  /** Lua that asks for it once. `URL` stands for an address that answers, `child.tac` for a procedure that ends at once, `waits.tac` for one that doesn't. */
  lua: string;
  /** What the Lua asks for besides. */
  beside?: EffectKind[];
  /** What it leaves in a history, in the words of `marksOf`: each is in one that is kept. */
  marks: RegExp[];
}

/** The call of the example of `model_call`. */
export const modelCall: Extract<Effect, { kind: 'model_call' }>['call'] = {
  agent: 'writer',
  model: null,
  system: 'Be brief.',
  messages: [
    { role: 'user', content: 'Go' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: '1', name: 'add', arguments: {}, invalid: '{' }],
    },
    { role: 'tool', toolCallId: '1', name: 'add', content: '3' },
  ],
  tools: [{ name: 'add', description: 'adds', parameters: { type: 'object' } }],
  outputSchema: { type: 'object' },
  settings: { temperature: 0.5, timeoutMs: 1_000, stop: ['.'] },
};

const childOf = (call: string): string => `local child = Procedure.spawn("child.tac") Sleep(2) ${call}`;

export const effectExamples: { [K in EffectKind]: EffectExample<K> } = {
  model_call: {
    effect: { kind: 'model_call', call: modelCall },
    lua: 'Agent.run{prompt = "Go", model = "openai/gpt-5-mini"}',
    marks: [/^activity modelCall$/],
  },
  predict: {
    effect: {
      kind: 'predict',
      prediction: {
        model: 'm',
        backend: { type: 'http', endpoint: 'e', timeoutMs: 5, headers: { a: 'b' } },
        input: [1],
      },
    },
    lua: 'Model{type = "http", endpoint = "URL"}({n = 1})',
    marks: [/^activity predict$/, /^local mockPredictOutcome$/, /^activity mockPredictOutcome$/],
  },
  run_model: {
    effect: {
      kind: 'run_model',
      run: {
        model: 'm',
        backend: {
          type: 'onnx',
          settings: { path: 'm.onnx' },
          timeoutMs: 5,
          retry: { attempts: 1 },
          taskQueue: 'gpu',
        },
        inputs: [[1, 2]],
      },
    },
    lua: 'Model{type = "sagemaker", endpoint = "score", region = "eu-west-1", base_url = "URL"}({n = 1})',
    marks: [/^activity runModel$/],
  },
  retrieve: {
    effect: {
      kind: 'retrieve',
      retrieval: {
        retriever: 'r',
        setup: {
          id: 'embedding-index-file',
          corpus: 'notes',
          chunking: { by: 'words', size: 9, overlap: 1 },
          embedding: { by: 'model', settings: { path: 'm' }, dimensions: 3 },
          ...{ snippet: 4, stopWords: ['the'], timeoutMs: 5, retry: { attempts: 1 }, taskQueue: 'gpu' },
        },
        query: 'q',
        bounds: { limit: 1, offset: 2, characters: 3, perSource: 4 },
      },
    },
    lua: 'Retriever { retriever_id = "tf-vector", corpus = Corpus { root = "corpus" } }("words")',
    marks: [/^activity retrieve$/],
  },
  http: {
    effect: {
      kind: 'http',
      request: { method: 'POST', url: 'u', headers: { a: 'b' }, body: 'text', timeoutMs: 5 },
    },
    lua: 'http_client.post("URL", {json = {n = 1}})',
    marks: [/^activity httpRequest$/],
  },
  human: {
    effect: {
      kind: 'human',
      ask: {
        kind: 'approval',
        message: 'Sure?',
        context: { n: 1 },
        options: ['yes'],
        form: { type: 'any' },
        default: null,
        timeoutMs: 5,
        approvers: ['ann'],
        metadata: { key: 'k' },
      },
    },
    lua: 'Human.approve{message = "Go?", timeout = "1h"}',
    marks: [/^signal decide$/, /^update decide$/, /^timer time to answer: /, /^timerCanceled$/],
  },
  sleep: {
    effect: { kind: 'sleep', ms: 5 },
    lua: 'Sleep(0.1)',
    marks: [/^timer sleep /, /^timer retry after /, /^timerFired$/],
  },
  file: {
    effect: { kind: 'file', operation: 'write', path: 'p', content: 'text', folder: 'f' },
    lua: 'File.exists("none.txt")',
    marks: [/^local fileOutcome$/, /^activity fileOutcome$/],
  },
  data_file: {
    effect: {
      ...{ kind: 'data_file', format: 'excel', operation: 'write', path: 'p', part: 'Sheet1' },
      ...{ data: [{ n: 1 }], folder: 'f' },
    },
    lua: 'pcall(require("tactus.io.excel").sheets, "none.xlsx")',
    marks: [/^activity dataFileOutcome$/],
  },
  procedure: {
    effect: { kind: 'procedure', file: 'f', input: { n: 1 } },
    lua: 'Procedure.run("child.tac")',
    marks: [/^startChildWorkflowExecutionInitiated$/, /^childWorkflowExecutionFailed$/],
  },
  spawn: {
    effect: { kind: 'spawn', file: 'f', input: { n: 1 } },
    lua: 'Procedure.spawn("child.tac") Sleep(2)',
    beside: ['sleep'],
    marks: [/^childWorkflowExecutionCompleted$/, /^signal tactus_child_closed$/],
  },
  children: {
    effect: { kind: 'children', ids: ['a'], until: 'all', timeoutMs: 5 },
    lua: childOf('Procedure.status(child)'),
    beside: ['spawn', 'sleep'],
    marks: [/^activity lookAtRuns$/, /^timer until the next look at other runs$/],
  },
  cancel_child: {
    effect: { kind: 'cancel_child', id: 'a' },
    lua: 'local child = Procedure.spawn("waits.tac") Procedure.cancel(child) Sleep(2)',
    beside: ['spawn', 'sleep'],
    marks: [/^requestCancelExternalWorkflowExecutionInitiated$/, /^childWorkflowExecutionCanceled$/],
  },
  defer: {
    effect: { kind: 'defer', key: 'k', resumeAt: 'r', reason: 'because' },
    lua: 'Procedure.defer{key = "a", resume_at = "2020-01-01T00:00:00Z", reason = "b"}',
    marks: [/^timer \w+: it is time$/],
  },
  tool: {
    effect: {
      kind: 'tool',
      invocation: {
        ...{ operation: 'call', source: 'host.charge', args: { n: 1 }, effect: 'once', call: '3' },
        ...{ procedure: 'main', timeoutMs: 5 },
      },
    },
    lua: 'Tool { use = "host.one" }({})',
    beside: ['tool_list'],
    marks: [/^activity callTool$/],
  },
  tool_list: {
    effect: { kind: 'tool_list', sources: ['host.charge'] },
    lua: 'Toolset.filter(Toolset.get("host.one"), function() return true end)',
    marks: [/^activity listTools$/],
  },
  code_check: {
    effect: { kind: 'code_check', text: 'return 1', tools: ['look'] },
    lua: 'Agent { name = "coder", model = "openai/gpt-5-mini", code_mode = true, tools = {} }("Write")',
    beside: ['model_call', 'model_call'],
    marks: [/^(local|activity) checkCode$/],
  },
  steer: {
    effect: { kind: 'steer', agent: 'writer' },
    lua: 'Agent.run{prompt = "Steered", model = "openai/gpt-5-mini"}',
    beside: ['model_call', 'model_call'],
    marks: [/^signal steer$/],
  },
  intent: {
    effect: { kind: 'intent', key: 'run/1/0', intent: { type: 'send_text', payload: { text: 'hi' } } },
    lua: 'Graph { nodes = { a = function() return { intents = { { type = "say" } } } end } }({})',
    marks: [/^activity dispatchIntent$/],
  },
  continue_as_new: {
    effect: { kind: 'continue_as_new', input: { n: 1 }, state: { seen: 2 } },
    lua: 'if not input.again then Sleep(0.1) Procedure.continue_as_new{again = true} end',
    beside: ['sleep'],
    marks: [/^workflowExecutionContinuedAsNew$/],
  },
  retry_here: {
    effect: { kind: 'retry_here', at: '0.1', gone: ['0.1', '0.2'], spent: [], by: 'ann', isAnew: false },
    lua: 'step("read", function() File.read("none.txt") end, { on_failure = "ask" })',
    beside: ['file', 'file', 'human', 'human', 'human'],
    marks: [/^activity proveChange$/],
  },
  event: {
    effect: { kind: 'event', name: 'paid', match: { order: 'A-7' }, timeoutMs: 5 },
    lua: 'Event.wait("go", {timeout = "1h"})',
    marks: [/^signal event$/, /^timer time to wait: /],
  },
};
