import { describe, expect, it } from 'vitest';
import { converse, sent, toolCall as call, type Answer } from '../../../support/converse.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

const tools = `
  add = Tool {description = "adds", input = {a = {type = "number", required = true}, b = {type = "number", default = 1}}, function(args)
    if args.a == 13 then error("unlucky") end
    Sleep(args.a)
    return {sum = args.a + args.b}
  end}
  worker = Agent {tools = {add}}
`;

describe('an agent', () => {
  it('answers a message', () => {
    const { output, calls } = converse(
      'worker = Agent {model = "openai/gpt-x", system_prompt = "Be kind.", temperature = 0.5, max_tokens = 100}\nlocal r = worker("hi")\nreturn {r.output, worker.output, r.usage.total_tokens}',
      [{ text: 'hello you' }],
    );
    expect(output).toEqual(['hello you', 'hello you', 2]);
    expect(calls).toEqual([
      {
        agent: 'worker',
        model: 'openai/gpt-x',
        system: 'Be kind.',
        messages: [{ role: 'user', content: 'hi' }],
        tools: [],
        outputSchema: null,
        isInTurn: true,
        keepsThoughts: true,
        settings: { temperature: 0.5, maxTokens: 100 },
      },
    ]);
  });

  it('gives an answer that is JSON as a table, where it was asked for as Agent', () => {
    const source = (word: string): string =>
      `worker = ${word} {}\nlocal r = worker("hi")\nreturn {type(r.output), tostring(r.output.a), worker.history[2].content}`;
    const answer = { text: '```\n{"a": 1}\n```', isJson: true } as const;
    expect(converse(source('Agent'), [answer]).output).toEqual(['table', '1', answer.text]);
    expect(converse(source('agent'), [answer]).output).toEqual(['string', 'nil', answer.text]);
    // As versions recorded it that didn't tell.
    expect(converse(source('Agent'), [{ text: '{"a": 1}' }]).output).toEqual(['string', 'nil', '{"a": 1}']);
  });

  it.each([100, 50_000])('gives JSON of %i levels as its text', (levels) => {
    const text = '['.repeat(levels) + ']'.repeat(levels);
    const ask = (fields: string): ReturnType<typeof converse> =>
      converse(
        `worker = Agent {${fields}}\nreturn worker("hi").output`,
        Array<Answer>(3).fill({ text, isJson: true }),
      );
    expect(ask('').output).toBe(text);
    if (levels > 100)
      expect(ask('output = field.array {}').output).toMatch(
        /answer is nested too deep: \[+, after it was told so 2 times$/,
      );
  });

  it('is a global of the name that it was given, unless there is one', () => {
    const source =
      'print = "mine"\nAgent "helper" {}\nAgent "print" {}\nreturn {helper("a").output, print, Agent("print")("b").output}';
    expect(converse(source, []).output).toEqual(['hello', 'mine', 'hello']);
  });

  it('says what to do where none of the name is there', () => {
    const { output } = converse('return {ok = Agent("nobody")("hi")}', []);
    expect(output).toBe('main.tac:1: there is no agent nobody: declare it first, as Agent "nobody" {…}');
  });

  it('takes a number for a message', () => {
    const { calls } = converse('worker = Agent {}\nworker(42)', []);
    expect(calls[0]?.messages).toEqual([{ role: 'user', content: '42' }]);
  });

  it.each(['""', '{}', '{tools = {}}', ''])('says nothing where it is called with (%s)', (argument) => {
    const { calls } = converse(`worker = Agent {system_prompt = "s"}\nworker(${argument})`, []);
    expect(calls[0]?.messages).toEqual([]);
  });

  it('remembers the conversation, until it is told to forget', () => {
    const { calls, output } = converse(
      'worker = Agent {}\nworker("one") worker("two") worker.clear_history() worker{message = "three"}\nreturn worker.history',
      [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
    );
    expect(calls.map(({ messages }) => messages.map(({ content }) => content).join(' '))).toEqual([
      'one',
      'one a two',
      'three',
    ]);
    expect(output).toEqual([
      { role: 'user', content: 'three' },
      { role: 'assistant', content: 'c' },
    ]);
  });

  it('starts with its first message where it is given none', () => {
    const { calls } = converse(
      'worker = Agent {initial_message = "About {input.topic}"}\nworker() worker()',
      [],
      { input: { topic: 'rain' } },
    );
    expect(calls.map(({ messages }) => messages.length)).toEqual([1, 2]);
    expect(calls[0]?.messages[0]?.content).toBe('About rain');
  });

  it.each([
    ['{input.name}', 'Ann'],
    ['{input.deep.er}', '7'],
    ['{state.mood}', 'good'],
    ['{params.extra}', 'more'],
    ['{extra}', 'more'],
    ['{name}', 'Ann'],
    ['{params.name}', 'Ann'],
    ['{params.over}', 'the call'],
    ['{over}', 'the call'],
    ['{input.over}', 'the input'],
    ['{context.place}', 'here'],
    ['{context.name}', 'Ann'],
    ['{input.deep}', '{"er":7}'],
    ['{input.missing}', '{input.missing}'],
    ['{input.constructor}', '{input.constructor}'],
    ['{"json": 1}', '{"json": 1}'],
    ['{input}', '{input}'],
  ])('fills %s into its prompt', (template, filled) => {
    const source = `state.mood = "good"\nworker = Agent {system_prompt = [[${template}]]}\nworker{message = "x", extra = "more", over = "the call", context = {place = "here"}}`;
    const { calls } = converse(source, [], {
      input: { name: 'Ann', over: 'the input', deep: { er: 7 } },
    });
    expect(calls[0]?.system).toBe(filled);
  });

  it('takes its prompt from a function, from a call, and adds to it', () => {
    const source =
      'worker = Agent {system_prompt = function() return "of " .. File.read("x") end}\nworker("a") worker{message = "b", system_prompt = "other"} worker{message = "c", system_prompt_suffix = "!"}';
    expect(converse(source, []).calls.map(({ system }) => system)).toEqual([
      'of content of x',
      'other',
      'of content of x\n\n!',
    ]);
  });

  it('gets its model and provider in every way of writing', () => {
    const source =
      'for _, c in ipairs{{model = "openai:gpt-x"}, {model = "gpt-x", provider = "openai"}, {model = {name = "openai/gpt-x", temperature = 1}}} do Agent(c)("x") end';
    expect(converse(source, []).calls.map(({ model }) => model)).toEqual([
      'openai/gpt-x',
      'openai/gpt-x',
      'openai/gpt-x',
    ]);
  });

  it('calls a tool and hears its result', () => {
    const { calls, output, performed } = converse(
      `${tools} return {worker("go").output, add.call_count(), add.last_result().sum, worker.usage.total_tokens}`,
      [{ toolCalls: [call('add', { a: 2 })] }, { text: 'three' }],
    );
    expect(output).toEqual(['three', 1, 3, 4]);
    expect(calls[0]?.tools).toEqual([
      {
        name: 'add',
        description: 'adds',
        parameters: {
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    ]);
    expect(calls[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'hello', toolCalls: [call('add', { a: 2 })] },
      { role: 'tool', toolCallId: 'call_add', name: 'add', content: '{"sum":3}' },
    ]);
    expect(performed).toEqual(['model_call 0.0', 'sleep 0.1.0', 'model_call 0.2']);
  });

  it('calls several side by side, and hears the results in the order of asking', () => {
    const asked = [call('add', { a: 5 }, 'c1'), call('add', { a: 1 }, 'c2'), call('add', { a: 3 }, 'c3')];
    const { calls, performed } = converse(`${tools} worker("go")`, [{ toolCalls: asked }, {}]);
    expect(performed).toEqual([
      'model_call 0.0',
      'sleep 0.1.0.0.0',
      'sleep 0.1.1.0.0',
      'sleep 0.1.2.0.0',
      'model_call 0.2',
    ]);
    expect(
      calls[1]?.messages
        .slice(2)
        .map((message) => [message.role === 'tool' && message.toolCallId, message.content]),
    ).toEqual([
      ['c1', '{"sum":6}'],
      ['c2', '{"sum":2}'],
      ['c3', '{"sum":4}'],
    ]);
  });

  it.each([
    ['an unknown tool', call('subtract'), 'there is no tool subtract; there are: add'],
    ['a missing argument', call('add', { b: 2 }), 'Missing required field: a'],
    [
      'an argument of the wrong type',
      call('add', { a: 'x' }),
      'Field a must be a number, got the string "x"',
    ],
    [
      'arguments that are no object',
      call('add', [1]),
      'Expected an object with the fields a, b, got an array',
    ],
    [
      'arguments that are no JSON',
      { ...call('add', null), invalid: '{"a": 1' },
      'the arguments are no JSON: {"a": 1',
    ],
    ['an error in the tool', call('add', { a: 13 }), 'unlucky'],
  ])('tells the model of %s', (_what, toolCall, message) => {
    const { calls, output, program } = converse(`${tools} return worker("go").output`, [
      { toolCalls: [toolCall] },
      { text: 'I see' },
    ]);
    expect(output).toBe('I see');
    const heard = JSON.parse(calls[1]?.messages.at(-1)?.content ?? '') as { error: string };
    expect(heard.error).toContain(message);
    // And the author of it: by its entry, or, where it was never called, by a line of the log.
    const entries = program.log.entries.filter(({ type }) => type === 'tool_call');
    const line = { level: 'warning', message: `worker · ${toolCall.name}: ${heard.error}` };
    expect(program.shown.filter(({ kind }) => kind === 'log')).toMatchObject(
      entries.length > 0 ? [] : [line],
    );
  });

  it('tells the model of one tool that failed, and of the others that did not', () => {
    const { calls } = converse(`${tools} worker("go")`, [
      { toolCalls: [call('add', { a: 13 }, 'c1'), call('add', { a: 1 }, 'c2')] },
      {},
    ]);
    expect(calls[1]?.messages.slice(2).map(({ content }) => content)).toEqual([
      expect.stringContaining('unlucky'),
      '{"sum":2}',
    ]);
  });

  it('is done when it says so', () => {
    const source =
      'done = require("tactus.tools.done")\nworker = Agent {tools = {done}}\nworker("go")\nreturn {done.called(), done.last_call().args.reason, done.last_result().status}';
    const { calls, output } = converse(source, [{ toolCalls: [call('done', { reason: 'finished' })] }]);
    expect(calls).toHaveLength(1);
    expect(output).toEqual([true, 'finished', 'completed']);
  });

  it('does not call tools for ever', () => {
    const forever = Array.from({ length: 20 }, () => ({ toolCalls: [call('add', { a: 1 })] }));
    expect(converse(`${tools} worker("go")`, forever, { limits: { turnRounds: 3 } }).output).toBe(
      'worker still calls tools after 3 rounds of one turn',
    );
  });

  it('gives structured output where it declares some', () => {
    const source =
      'worker = Agent {output = {mood = {type = "string", enum = {"good", "bad"}, required = true}, n = {type = "integer", default = 1}}}\nreturn worker("x").output';
    const { calls, output } = converse(source, [{ text: '{"mood": "good", "more": true}' }]);
    expect(calls[0]?.outputSchema).toMatchObject({
      type: 'object',
      required: ['mood'],
      properties: { mood: { type: 'string', enum: ['good', 'bad'] } },
    });
    expect(output).toEqual({ mood: 'good', n: 1, more: true });
    expect(converse(source, [{ text: 'good', finishReason: 'length' }]).output).toBe(
      "the model's answer is no JSON (it ended by length): good",
    );
    const odd = { text: '{"mood": "odd"}' };
    expect(converse(source, [odd, odd, odd]).output).toBe(
      'worker: Field mood must be one of "good", "bad", got "odd", after it was told so 2 times',
    );
  });

  it('tells its model what is wrong with an answer, until it can be used', () => {
    const source =
      'worker = Agent {output = {n = {type = "integer", required = true}}}\nlocal first = worker("x")\nreturn {first.output.n, first.usage.prompt_tokens, worker("y").output.n}';
    const answers = [
      { text: '{}' },
      { text: '', mistake: 'answered with nothing where JSON was asked for' },
      { text: '{"n": 1}' },
      { text: '{"n": 2}' },
    ];
    const { calls, output } = converse(source, answers);
    expect(output).toEqual([1, 3, 2]);
    expect(calls.map(sent)).toEqual([
      'user: x',
      "user: x | assistant: {} | user: That answer can't be used: Missing required field: n. Answer again, with JSON that follows the schema and nothing else.",
      expect.stringMatching(
        /\| assistant: \(nothing\) \| user: That answer can't be used: fake\/model answered with nothing where JSON was asked for\./,
      ),
      // What it was told stays out of the conversation.
      'user: x | assistant: {"n": 1} | user: y',
    ]);
    expect(calls[0]?.isMended).toBe(true);
    const one = 'worker = Agent {output = {n = "integer"}, retries = 0}\nreturn worker("x").output';
    expect(converse(one, [{ text: 'no' }]).output).toBe(
      "worker: the model's answer is no JSON (it ended by stop): no",
    );
    const older = converse(source, [{ text: '{}' }], { engine: 4 });
    expect([older.output, older.calls.length]).toEqual(['Missing required field: n', 1]);
  });

  it('may be given other tools, another model and settings for one call', () => {
    const { calls } = converse(
      `${tools} worker{message = "x", tools = {}, model = "other/model", temperature = 0} worker{message = "y", tools = {"add"}}`,
      [],
    );
    expect(calls.map(({ tools: given, model, settings }) => [given.length, model, settings])).toEqual([
      [0, 'other/model', { temperature: 0 }],
      [1, null, {}],
    ]);
  });

  it('sends what it says of chance, of the end and of the effort', () => {
    const settings = 'top_p = 0.5, seed = 7, stop = "END", reasoning_effort = "low", verbosity = "high"';
    const { calls } = converse(
      `a = Agent {system_prompt = "s", ${settings}} a{message = "x", seed = "apple", stop = "Main St"}`,
      [],
    );
    expect(calls[0]?.settings).toEqual({
      ...{ topP: 0.5, seed: 7, stop: ['END'], reasoningEffort: 'low', verbosity: 'high' },
    });
  });

  it('leaves to templates what is no setting of a call', () => {
    const source = 'a = Agent {system_prompt = "At {params.stop}"} a{message = "x", stop = "Main St"}';
    const [first] = converse(source, []).calls;
    expect([first?.system, first?.settings]).toEqual(['At Main St', {}]);
  });

  it.each([
    ['top_p = 2', 'top_p must be a number from 0 to 1, got 2'],
    ['seed = "x"', 'seed must be an integer, got "x"'],
    ['stop = {1}', 'stop must be a text or a list of texts, got [1]'],
    ['reasoning_effort = 3', 'reasoning_effort must be a text such as "low", got 3'],
    ['verbosity = true', 'verbosity must be a text such as "low", got true'],
  ])('is refused with %s', (setting, message) =>
    expect(() => outputOf(`a = Agent {system_prompt = "s", ${setting}} return 1`)).toThrow(message),
  );

  it('asks once without a conversation by Agent.run', () => {
    const { calls, output } = converse(
      'return Agent.run{prompt = "q", model = "openai:gpt-x", system_prompt = "s", max_tokens = 5}.output',
      [{ text: 'a' }],
    );
    expect(output).toBe('a');
    expect(calls[0]).toMatchObject({
      model: 'openai/gpt-x',
      system: 's',
      messages: [{ role: 'user', content: 'q' }],
      settings: { maxTokens: 5 },
    });
  });

  it('is named by its global, its declaration, or its number, and by the step that it runs in', () => {
    const source =
      'writer = Agent {}\nAgent "editor" {}\nlocal third = Agent {}\nstep("draft", function() writer("x") Agent("editor")("y") third("z") end)';
    const { program } = converse(source, []);
    expect(program.log.entries.filter(({ type }) => type === 'agent_turn').map(({ name }) => name)).toEqual([
      'draft.writer',
      'draft.editor',
      'draft.agent_3',
    ]);
  });

  it('has its conversation back when the run is replayed', () => {
    const source = `${tools} worker("one") Sleep(1) return worker.history`;
    const first = converse(source, [{ toolCalls: [call('add', { a: 2 })] }, { text: 'three' }]);
    const { entries } = first.program.log;
    const again = converse(source, [], { carried: entries });
    expect(again.calls).toEqual([]);
    expect(again.output).toEqual(first.output);
  });

  it('has failed turns recorded as failed', () => {
    const run = runFake('worker = Agent {}\nreturn {pcall(worker, "x")}', {
      perform: () => {
        throw new Error('the provider is down');
      },
    });
    expect(run.ended).toMatchObject({ output: [false, 'the provider is down'] });
    expect(run.program.log.entries.map(({ type, outcome }) => `${type} ${outcome.ok}`)).toEqual([
      'model_call false',
      'agent_turn false',
    ]);
  });
});
