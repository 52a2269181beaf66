import { luaArgumentKinds, luaNeededArguments } from './lua-signatures.js';

/**
 * What a value may be: one or more of `text number integer boolean table list function duration any`, with `|` between.
 * A name or a call can be anything; only what is written out is checked.
 */
export type ValueKinds = string;

/** The table that a function takes. */
export interface Signature {
  /** Which argument is the table; the name of a declaration isn't counted. */
  argument: number;
  keys: Readonly<Record<string, ValueKinds>>;
  /** Each group needs one of its keys. */
  required?: readonly (readonly string[])[];
}

const request = {
  ...{ message: 'text', prompt: 'text', context: 'any', timeout: 'duration', config_key: 'text' },
  ...{ default: 'any', default_on_timeout: 'any', approvers: 'list|text', action_key: 'text', label: 'text' },
  ...{ resource_refs: 'any', preconditions: 'any', expires_at: 'any', response_schema: 'table' },
  ...{
    ui_schema: 'table',
    metadata: 'table',
    escalate_to: 'any',
    remind_every: 'duration',
    quorum: 'integer',
  },
};
const message = [['message', 'prompt', 'config_key']];
const options = 'list';
const sent = { headers: 'table', params: 'table', json: 'any', body: 'text', timeout: 'duration' };

/** By what is called; declarations by what they declare. */
export const signatures: Readonly<Record<string, Signature>> = {
  procedure: {
    argument: 0,
    keys: {
      ...{ name: 'text', description: 'text', version: 'text|number', author: 'text', tags: 'list' },
      ...{ input: 'table', output: 'table', outputs: 'table', state: 'table', dependencies: 'table' },
      ...{
        message_history: 'table',
        run: 'function',
        prompts: 'table',
        max_depth: 'integer',
        stages: 'list',
      },
      ...{ return_prompt: 'text', error_prompt: 'text', status_prompt: 'text', async: 'boolean' },
      ...{
        max_turns: 'integer',
        default_model: 'text',
        default_provider: 'text',
        strict_determinism: 'boolean',
      },
    },
  },
  agent: {
    argument: 0,
    keys: {
      ...{ name: 'text', description: 'text', provider: 'text', model: 'text|table', model_type: 'text' },
      ...{ system_prompt: 'text|function', initial_message: 'text', tools: 'list', toolsets: 'list' },
      ...{ inline_tools: 'list', output: 'table', output_schema: 'table', output_type: 'any' },
      ...{ temperature: 'number', max_tokens: 'integer', reasoning_effort: 'text', verbosity: 'text' },
      ...{ tool_choice: 'text|table', disable_streaming: 'boolean', prepare: 'function', context: 'any' },
      ...{ message_history: 'any', filter: 'any', response: 'table', steering_enabled: 'boolean' },
      ...{ skills: 'any', skills_mode: 'text', max_input_tokens: 'integer', max_attempts: 'integer' },
      ...{ model_attempt_call_id: 'text', retry: 'table', module: 'any', request_timeout: 'duration' },
      ...{ max_tool_followup_rounds: 'integer', max_turns: 'integer', model_settings: 'table' },
      ...{ request_limit: 'number', session: 'any', top_p: 'number', seed: 'integer', stop: 'any' },
    },
    required: [
      [
        'system_prompt',
        'initial_message',
        'model',
        'tools',
        'toolsets',
        'output',
        'prepare',
        'provider',
        'inline_tools',
      ],
    ],
  },
  tool: {
    argument: 0,
    keys: {
      ...{
        name: 'text',
        description: 'text',
        input: 'table',
        parameters: 'table',
        output: 'table',
        use: 'text',
      },
      ...{ handler: 'function', run: 'function', effect: 'text', verify: 'function', timeout: 'duration' },
      ...{ retry: 'any', approval: 'any', approve: 'any', idempotent: 'boolean', config: 'any' },
    },
  },
  model: {
    argument: 0,
    keys: {
      ...{ type: 'text', name: 'text', version: 'text|number', description: 'text', input: 'table' },
      ...{ output: 'table|text', value: 'any', endpoint: 'text', timeout: 'duration', headers: 'table' },
      ...{
        cost_per_call: 'number',
        path: 'text',
        device: 'text',
        labels: 'any',
        model: 'text',
        revision: 'text',
      },
      ...{ system_prompt: 'text', provider: 'text', temperature: 'number', max_tokens: 'integer' },
      ...{ fallback: 'any', members: 'any', strategy: 'text', arms: 'any', weights: 'any', seed: 'integer' },
      ...{ training: 'table', registry: 'text', tokenizer: 'text', threshold: 'number', method: 'text' },
      ...{ region: 'text', framework: 'text', user_message: 'text', prompt: 'text', max_length: 'integer' },
    },
    required: [['type', 'training']],
  },
  field: {
    argument: 0,
    keys: {
      ...{ type: 'text', required: 'boolean', default: 'any', enum: 'list', description: 'text' },
      ...{ items: 'any', properties: 'table', fields: 'table', format: 'text', pattern: 'text' },
      ...{ minimum: 'number', maximum: 'number', min: 'number', max: 'number', example: 'any' },
    },
  },
  'Human.approve': {
    argument: 0,
    keys: { ...request, default: 'boolean', default_on_timeout: 'boolean' },
    required: message,
  },
  'Human.input': {
    argument: 0,
    keys: {
      ...request,
      placeholder: 'text',
      options,
      input_type: 'text',
      required: 'boolean',
      multiline: 'boolean',
    },
    required: message,
  },
  'Human.review': {
    argument: 0,
    keys: { ...request, artifact: 'any', artifact_type: 'text', options },
    required: message,
  },
  'Human.select': {
    argument: 0,
    keys: { ...request, options, mode: 'text', style: 'text', min: 'integer', max: 'integer' },
    required: [...message, ['options', 'config_key']],
  },
  'Human.upload': {
    argument: 0,
    keys: { ...request, accept: 'any', max_size: 'number|text', multiple: 'boolean' },
    required: message,
  },
  'Human.escalate': { argument: 0, keys: { ...request, severity: 'text' }, required: message },
  'Human.notify': { argument: 0, keys: { ...request, level: 'text' }, required: message },
  'Retry.with_backoff': {
    argument: 1,
    keys: {
      ...{ max_attempts: 'integer', initial_delay: 'number', max_delay: 'number', backoff_factor: 'number' },
      on_error: 'function',
    },
  },
  http_client: { argument: 0, keys: { base_url: 'text', headers: 'table', timeout: 'duration' } },
  'http_client.get': { argument: 1, keys: sent },
  'http_client.post': { argument: 1, keys: sent },
  'http_client.put': { argument: 1, keys: sent },
  'http_client.patch': { argument: 1, keys: sent },
  'http_client.delete': { argument: 1, keys: sent },
  'http_client.request': { argument: 2, keys: sent },
  'Parallel.map': { argument: 2, keys: { concurrency: 'integer' } },
  'System.alert': {
    argument: 0,
    keys: { message: 'text', level: 'text', source: 'text', context: 'any' },
    required: [['message']],
  },
  'Procedure.defer': {
    argument: 0,
    keys: { key: 'text', resume_at: 'text', reason: 'text' },
    required: [['key'], ['resume_at']],
  },
};

/** What single arguments must be, by function. */
export const argumentKinds: Readonly<Record<string, readonly ValueKinds[]>> = {
  ...luaArgumentKinds,
  Sleep: ['duration'],
  checkpoint: ['function'],
  'Step.checkpoint': ['function'],
  step: ['text|number', 'function'],
  'Retry.with_backoff': ['function', 'table'],
  'Parallel.map': ['list', 'function', 'table'],
  'Human.approve': ['text|table'],
  'Human.input': ['text|table'],
  'Human.review': ['text|table'],
  'Human.select': ['table'],
  'Human.upload': ['text|table'],
  'Human.notify': ['text|table'],
  'Human.escalate': ['text|table'],
  'File.read': ['text|number'],
  'File.write': ['text|number', 'text|number'],
  'File.exists': ['text|number'],
  'File.size': ['text|number'],
  'Json.decode': ['text|number'],
  'http_client.get': ['text', 'table'],
  'http_client.post': ['text', 'table'],
  'http_client.put': ['text', 'table'],
  'http_client.patch': ['text', 'table'],
  'http_client.delete': ['text', 'table'],
  'http_client.request': ['text', 'text', 'table'],
  'State.get': ['text'],
  'State.set': ['text'],
  'State.increment': ['text', 'number'],
  'State.append': ['text'],
  'Procedure.run': ['text', 'table'],
  'Procedure.spawn': ['text', 'table'],
  require: ['text'],
  split: ['text|number', 'integer|text'],
  join: ['list', 'text|number'],
  TaskFunction: ['function'],
  IncludeTasks: ['text|table', 'text'],
};

/** Arguments without which a call fails. */
export const neededArguments: Readonly<Record<string, number>> = {
  ...luaNeededArguments,
  ...{ Sleep: 1, step: 2, 'Step.checkpoint': 1, 'Retry.with_backoff': 1, 'Parallel.map': 2 },
  ...{ 'Human.approve': 1, 'Human.input': 1, 'Human.review': 1, 'Human.select': 1 },
  ...{ 'File.read': 1, 'File.write': 2, 'File.exists': 1, 'File.size': 1, 'Json.decode': 1 },
  ...{ 'http_client.get': 1, 'http_client.post': 1, 'http_client.put': 1, 'http_client.patch': 1 },
  ...{ 'http_client.delete': 1, 'http_client.request': 2 },
  ...{
    'State.get': 1,
    'State.set': 2,
    'State.increment': 1,
    'State.append': 2,
    'Procedure.run': 1,
    require: 1,
    split: 2,
    join: 1,
    TaskFunction: 1,
    IncludeTasks: 1,
  },
};

export const fieldTypes = [
  ...['string', 'number', 'integer', 'boolean', 'array', 'object', 'table', 'any'],
  ...['str', 'float', 'int', 'bool', 'list', 'dict'],
];
