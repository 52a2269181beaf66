import { describe, expect, it } from 'vitest';
import type { HumanAsk } from '../../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { fakeProgram, outputOf, runFake, type Perform } from '../../../support/fake-host.js';

function asked(source: string): HumanAsk {
  const turn = fakeProgram(source).turn();
  if (turn.kind !== 'blocked') throw turn.kind === 'failed' ? turn.error : new Error(turn.kind);
  const effect = turn.asked[0]?.effect;
  if (effect?.kind !== 'human') throw new Error('nobody was asked');
  return effect.ask;
}

/** A person who answers this to everything. */
const answering =
  (value: JsonValue): Perform =>
  () => ({ value, timed_out: false, by: null, comment: null });

const plain = { context: null, options: [], default: null, timeoutMs: null, approvers: [] };
const choicesOf = (...values: string[]): object[] => values.map((value) => ({ value, label: value }));

describe('what people are asked', () => {
  it.each<[string, object]>([
    [
      'Human.select{message = "Where?", options = {"a", "b"}, default = "b", timeout = "1h"}',
      {
        ...{ ...plain, kind: 'select', message: 'Where?', options: ['a', 'b'], default: 'b' },
        timeoutMs: 3_600_000,
        form: { type: 'select', multiple: false, min: 1, max: null, choices: choicesOf('a', 'b') },
      },
    ],
    [
      'Human.select{message = "Which?", options = {{label = "A", value = 1, description = "one"}, {value = "b"}, {label = "C"}}, mode = "multiple", min = 0, max = 2, style = "checkbox", context = {n = 1}}',
      {
        ...{
          ...plain,
          kind: 'select',
          message: 'Which?',
          context: { n: 1 },
          options: [1, 'b', 'C'],
          default: [],
        },
        form: {
          ...{ type: 'select', multiple: true, min: 0, max: 2, style: 'checkbox' },
          choices: [{ value: 1, label: 'A', description: 'one' }, ...choicesOf('b', 'C')],
        },
      },
    ],
    [
      'Human.upload{message = "File?", accept = ".pdf, image/*", max_size = "1.5KB", multiple = true}',
      {
        ...{ ...plain, kind: 'upload', message: 'File?' },
        form: { type: 'upload', accept: ['.pdf', 'image/*'], max_size: 1_536, multiple: true },
      },
    ],
    [
      'Human.upload("File?")',
      {
        ...{ ...plain, kind: 'upload', message: 'File?' },
        form: { type: 'upload', accept: [], max_size: null, multiple: false },
      },
    ],
    [
      'Human.escalate{message = "Stuck", context = {tries = 3}, severity = "critical"}',
      {
        ...{ ...plain, kind: 'escalation', message: 'Stuck' },
        context: { severity: 'critical', context: { tries: 3 } },
      },
    ],
    [
      'Human.escalate("Stuck")',
      { ...plain, kind: 'escalation', message: 'Stuck', context: { severity: 'error' } },
    ],
    [
      'Human.custom{component_type = "picker", message = "Pick", data = {n = 1}, default = {none = true}}',
      {
        ...{ ...plain, kind: 'input', message: 'Pick', form: { type: 'any' }, default: { none: true } },
        context: { component_type: 'picker', data: { n: 1 }, actions: [] },
      },
    ],
    [
      'Human.approve{message = "Pay?", action_key = "pay", resource_refs = {"o-1"}, expires_at = "2030-01-01", ui_schema = {a = 1}, response_schema = {enum = {true}}}',
      {
        ...{ ...plain, kind: 'approval', message: 'Pay?', default: false },
        metadata: {
          ...{ action_key: 'pay', resource_refs: ['o-1'], expires_at: '2030-01-01', ui_schema: { a: 1 } },
          response_schema: { enum: [true] },
        },
        policy: { expiresAt: Date.UTC(2030, 0, 1) },
      },
    ],
  ])('%s', (source, expected) => expect(asked(source)).toEqual(expected));

  it('are several questions in one', () => {
    const items = `{
      {id = "target", label = "Target", type = "select", message = "Where?", options = {"a", "b"}, default = "a"},
      {id = "many", message = "Which?", type = "select", options = {"a", "b"}, metadata = {mode = "multiple", min = 2}},
      {id = "sure", label = "Sure", type = "approval", message = "Sure?"},
      {id = "notes", label = "Notes", required = false},
      {id = "file", message = "File?", type = "upload", accept = ".txt"},
    }`;
    const expected = {
      type: 'items',
      items: [
        {
          ...{ id: 'target', label: 'Target', kind: 'select', message: 'Where?', options: ['a', 'b'] },
          form: { type: 'select', multiple: false, min: 1, max: null, choices: choicesOf('a', 'b') },
          ...{ required: true, default: 'a' },
        },
        {
          ...{ id: 'many', label: 'many', kind: 'select', message: 'Which?', options: ['a', 'b'] },
          form: { type: 'select', multiple: true, min: 2, max: null, choices: choicesOf('a', 'b') },
          ...{ required: true, default: null },
        },
        {
          id: 'sure',
          label: 'Sure',
          kind: 'approval',
          message: 'Sure?',
          options: [],
          required: true,
          default: null,
        },
        {
          id: 'notes',
          label: 'Notes',
          kind: 'input',
          message: 'Notes',
          options: [],
          required: false,
          default: null,
        },
        {
          ...{ id: 'file', label: 'file', kind: 'upload', message: 'File?', options: [] },
          form: { type: 'upload', accept: ['.txt'], max_size: null, multiple: false },
          ...{ required: true, default: null },
        },
      ],
    };
    const list = {
      ...plain,
      kind: 'multiple',
      message: '5 questions',
      form: expected,
      default: { target: 'a' },
    };
    expect(asked(`Human.multiple(${items})`)).toEqual(list);
    expect(asked(`Human.inputs(${items})`)).toEqual(list);
    expect(asked(`Human.multiple{message = "Set up", timeout = 60, items = ${items}}`)).toEqual({
      ...{ ...list, message: 'Set up', timeoutMs: 60_000 },
    });
  });

  it('is what was declared once, where the call says nothing else', () => {
    const declared =
      'Hitl("deploy", {type = "approval", message = "Deploy?", timeout = 60, default = true})\n';
    const expected = { ...plain, kind: 'approval', message: 'Deploy?', timeoutMs: 60_000, default: true };
    expect(asked(`${declared} Human.approve{config_key = "deploy"}`)).toEqual(expected);
    expect(asked(`${declared} Human.approve{config_key = "deploy", message = "Now?"}`)).toEqual({
      ...expected,
      message: 'Now?',
    });
    expect(asked('Hitl("__proto__", {message = "Odd?"}) Human.input{config_key = "__proto__"}').message).toBe(
      'Odd?',
    );
  });

  it.each([
    ['select{message = "x"}', 'Human.select needs options as a list'],
    ['select{message = "x", options = {}}', 'Human.select needs options as a list'],
    ['select{message = "x", options = {true}}', 'Human.select needs options as a list'],
    ['select{message = "x", options = {"a", {label = "a"}}}', 'Human.select has the same option twice'],
    [
      'select{message = "x", options = {"a"}, mode = "some"}',
      'needs "single" or "multiple" as mode, got "some"',
    ],
    ['select{message = "x", options = {"a"}, mode = "multiple", min = 2}', 'wants 2 to 1 of 1 options'],
    ['select{message = "x", options = {"a"}, mode = "multiple", max = 0}', 'wants 1 to 0 of 1 options'],
    [
      'select{message = "x", options = {"a"}, mode = "multiple", max = 1.5}',
      'needs max as a whole number, got 1.5',
    ],
    ['select{message = "x", options = {"a"}, default = "b"}', 'has a default that is no answer: "b" is none'],
    ['multiple{}', 'Human.multiple needs at least one item'],
    ['inputs(5)', 'Human.inputs needs at least one item'],
    ['multiple{{label = "x"}}', 'has item 1 without id'],
    ['multiple{"x"}', 'has item 1, which is no table'],
    ['multiple{{id = "a", type = "input"}}', 'has item 1 without message'],
    ['multiple{{id = "a", label = "A"}, {id = "a", label = "B"}}', 'has the item "a" twice'],
    [
      'multiple{{id = "a", label = "A", type = "multiple"}}',
      'has item a of the type multiple: there are approval',
    ],
    ['multiple{{id = "a", label = "A", type = "select"}}', 'Human.multiple: item a needs options'],
    [
      'multiple{{id = "a", label = "A", type = "select", options = {"x"}, default = "y"}}',
      'item a has a default',
    ],
    ['multiple{items = {{id = "a", label = "A"}}, default = {b = 1}}', 'has a default that is no answer'],
    ['upload{message = "x", max_size = "huge"}', 'needs max_size in bytes'],
    ['upload{message = "x", accept = {1}}', 'needs accept as'],
    ['upload{message = "x", multiple = "yes"}', 'needs true or false as multiple'],
    ['upload{message = "x", default = "a.txt"}', 'has a default that is no answer'],
    [
      'escalate{message = "x", severity = "bad"}',
      'needs a severity of info, warning, error, critical, got "bad"',
    ],
    ['custom("x")', 'Human.custom needs component_type'],
    ['custom{component_type = "x"}', 'Human.custom needs a message'],
    ['notify{level = "info"}', 'Human.notify needs a message'],
    ['notify{message = "x", level = "loud"}', 'needs info, warning or error as level, got "loud"'],
    ['approve{config_key = "nowhere"}', 'names the config_key "nowhere", which no Hitl declares'],
    [
      'input{message = "x", response_schema = {type = "text"}}',
      'has a response_schema that has the type "text"',
    ],
    ['notify{message = "x", response_schema = 5}', 'has a response_schema that is no schema'],
  ])('Human.%s is refused, in a way that can be caught', (call, message) => {
    const { ended, performed } = runFake(`return Human.${call}`);
    expect(performed).toEqual([]);
    expect(ended).toMatchObject({
      error: {
        ...{ code: 'human_request_invalid', details: { line: 1 } },
        message: expect.stringContaining(message) as string,
      },
    });
    expect(outputOf(`return (pcall(function() Human.${call} end))`)).toBe(false);
  });
});

describe('the answer', () => {
  it('is a list that Lua can count', () => {
    const source =
      'local picked = Human.select{message = "x", options = {"a", "b"}, mode = "multiple"} return #picked';
    expect(outputOf(source, { perform: answering(['a', 'b']) })).toBe(2);
  });

  it('is a table by the ids of the questions', () => {
    const source =
      'local r = Human.multiple{{id = "a", label = "A"}, {id = "b", label = "B"}} return r.a .. r.b';
    expect(outputOf(source, { perform: answering({ a: 'x', b: 'y' }) })).toBe('xy');
  });

  it('to an escalation is nothing', () => {
    const perform = answering('restarted');
    expect(outputOf('return select("#", Human.escalate("Stuck"))', { perform })).toBe(0);
    expect(runFake('Human.escalate("Stuck")', { perform }).program.log.entries).toMatchObject([
      { type: 'hitl_escalation', name: 'Stuck', outcome: { value: { value: 'restarted' } } },
    ]);
  });

  it.each([
    ['select{message = "x", options = {"a"}}', 'hitl_select'],
    ['multiple{{id = "a", label = "A"}}', 'hitl_inputs'],
    ['upload("x")', 'hitl_upload'],
    ['escalate("x")', 'hitl_escalation'],
    ['custom{component_type = "c", message = "x"}', 'hitl_custom'],
  ])('to Human.%s stands in the log as %s', (call, type) => {
    const { program } = runFake(`Human.${call}`, { perform: answering(null) });
    expect(program.log.entries).toMatchObject([{ type }]);
  });

  it('is not waited for by a notification, which is a line of the log', () => {
    const { program, performed } = runFake(
      'Human.notify("Done") Human.notify{message = "Odd", level = "warning", context = {n = 1}} Human.notify{message = "Key", action_key = "k"} return 1',
    );
    expect(performed).toEqual([]);
    expect(program.log.entries).toEqual([]);
    expect(program.shown).toEqual([
      { kind: 'log', level: 'info', message: 'Done', context: null },
      { kind: 'log', level: 'warning', message: 'Odd', context: { n: 1 } },
      { kind: 'log', level: 'info', message: 'Key', context: { action_key: 'k', context: null } },
    ]);
  });
});
