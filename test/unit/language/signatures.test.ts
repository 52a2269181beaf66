import { describe, expect, it } from 'vitest';
import { language } from '../../../src/language/language.generated.js';
import { signatureOf } from '../../../src/language/signature.js';
import { isOneOf, type LiteralKind } from '../../../src/validation/syntax/literal-kind.js';
import { isObject } from '../../../src/contract/json/json.js';
import { fakeProgram } from '../../support/fake-host.js';

/** A call of each function that is right: the rest is made from its signature. */
const examples: Readonly<Record<string, string>> = {
  'Json.decode': '"1"',
  ...{ 'http_client.get': '"http://a"', 'http_client.post': '"http://a"', 'http_client.put': '"http://a"' },
  ...{ 'http_client.patch': '"http://a"', 'http_client.delete': '"http://a"' },
  'http_client.request': '"GET", "http://a"',
  ...{ rawset: '{}, 1, 1', require: '"tactus.tools.done"', setmetatable: '{}, nil' },
  ...{ 'coroutine.resume': 'coroutine.create(print)', 'coroutine.status': 'coroutine.create(print)' },
  ...{ 'string.pack': '"b", 1', 'string.packsize': '"b"', 'string.unpack': '"b", "a"' },
  'table.sort': '{2, 1}, function() return false end',
  LM: '"openai/a"',
  Message: '{role = "user", content = "a"}',
  'MessageHistory.append': '{role = "user", content = "a"}',
  Classify: '{classes = {"a"}, prompt = "a"}',
  'Human.select': '{message = "a", options = {"a"}}',
  'Human.multiple': '{{id = "a", label = "A"}}',
  'Human.inputs': '{{id = "a", label = "A"}}',
  'Human.custom': '{message = "a", component_type = "a"}',
  ...{ Hitl: '"a", {message = "a"}', hitl: '"a", {message = "a"}' },
  'Procedure.wait_any': '{"a"}',
  'Procedure.cancel': 'Procedure.spawn("m.tac")',
  'Procedure.await_children': '{children = {{id = "a"}}, mode = "all"}',
  'Procedure.defer': '{key = "a", resume_at = "2030-01-01T00:00:00Z", reason = "a"}',
  ...{
    'Tool.get': '"log"',
    'Toolset.get': '"log"',
    'Toolset.filter': 'Tool.get("log"), function() return true end',
  },
  'Plan.setup': '{objective = "a"}',
  'Parallel.race': '{print}',
  DurableLoop: '{body = function() return 1 end}',
  'Experiment.variant': '"tone", {"a", "b"}',
  'Host.call': '"host.ping"',
  Corpus: '{root = "notes"}',
  Retriever: '{corpus = Corpus {root = "notes"}, retriever_id = "tf-vector"}',
  context: '"notes"',
};

/** What can't be called right where these tests call: what it is needs more around it. */
const elsewhere = [
  ...['error', 'assert', 'coroutine.yield', 'Stage.advance', 'MessageHistory.rewind_to'],
  ...['ClassifyProcedure', 'IncludeTasks', 'Plan.add', 'Plan.update', 'Plan.read'],
  ...['Session.restore', 'Graph.interrupt'],
];
/** The run of the child refuses it, when it starts. */
const refusedLater = ['Procedure.run', 'Procedure.spawn', 'procedure.run', 'procedure.spawn'];

const literals: readonly (readonly [LiteralKind, string])[] = [
  ...([
    ['text', '"zz"'],
    ['integer', '1'],
    ['number', '1.5'],
    ['boolean', 'true'],
  ] as const),
  ...([
    ['empty table', '{}'],
    ['list', '{1, 2}'],
    ['table', '{zz = 1}'],
    ['function', 'function() end'],
  ] as const),
];

/** Whether a run takes the call: it gives something, or waits for its answer. */
function isTaken(call: string): boolean {
  // Something is recorded before it, as `Procedure.continue_as_new` wants.
  const program = fakeProgram(`checkpoint() return { ok = pcall(function() return ${call} end) }`);
  let turn = program.turn();
  for (let answers = 0; turn.kind === 'blocked' && answers < 3; answers++) {
    // Handles of child runs are texts.
    const [asked] = turn.asked;
    if (asked?.effect.kind !== 'spawn') return true;
    program.settle(asked.position, { ok: true, value: 'child' }, 0);
    turn = program.turn();
  }
  if (turn.kind !== 'completed') return turn.kind === 'blocked';
  return isObject(turn.output) && turn.output['ok'] === true;
}

function literalOf(kinds: string): string {
  const [first = 'any'] = kinds.split('|');
  const texts: Record<string, string> = {
    ...{ text: '"a"', boolean: 'true', list: '{}', table: '{}', function: 'function() return 1 end' },
    ...{ nil: 'nil', handle: 'nil' },
  };
  return texts[first] ?? '1';
}

const called = Object.values(language.functions).filter(
  ({ name, isDeprecated }) => !isDeprecated && !elsewhere.includes(name) && signatureOf(name) !== null,
);

const argumentsOf = (name: string): string[] => {
  const example = examples[name] ?? examples[name.replace(/^procedure/, 'Procedure')];
  if (example === undefined)
    return (signatureOf(name)?.parameters ?? [])
      .slice(0, signatureOf(name)?.needed)
      .map(({ kinds }) => literalOf(kinds));
  let depth = 0;
  return example.split(/(,|[({]|[)}])/).reduce<string[]>(
    (parts, part) => {
      depth += /^[({]$/.test(part) ? 1 : /^[)}]$/.test(part) ? -1 : 0;
      if (part === ',' && depth === 0) parts.push('');
      else parts[parts.length - 1] += part;
      return parts;
    },
    [''],
  );
};

describe('what types/ says of a call is what a run makes of it', () => {
  it.each(called.map(({ name }) => name))('%s', (name) => {
    const signature = signatureOf(name);
    if (signature === null) throw new Error(name);
    const { parameters, needed, isLenient } = signature;
    const right = argumentsOf(name);
    expect(isTaken(`${name}(${right.join(', ')})`), `${name}(${right.join(', ')}) is right`).toBe(true);
    if (refusedLater.includes(name)) return;

    const wrong: string[] = [];
    for (let count = 0; count < needed; count++) wrong.push(`${name}(${right.slice(0, count).join(', ')})`);
    for (const [i, { kinds }] of parameters.entries()) {
      const before = parameters.slice(0, i).map((each, at) => right[at] ?? literalOf(each.kinds));
      for (const [kind, literal] of literals)
        if (!isOneOf(kind, kinds))
          wrong.push(`${name}(${[...before, literal, ...right.slice(i + 1)].join(', ')})`);
    }
    const taken = wrong.filter(isTaken);
    if (isLenient) expect(taken, 'something is taken without effect, else it is not lenient').not.toEqual([]);
    else expect(taken).toEqual([]);
  });
});
