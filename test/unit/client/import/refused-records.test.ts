import { describe, expect, it } from 'vitest';
import { readImport, type ImportOptions } from '../../../../src/client/runs/import/read-import.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import { procedureOf } from '../../../support/procedure-source.js';
import { referenceRun, withEntries } from '../../../support/reference-run.js';

type Edit = (entries: JsonObject[]) => JsonObject[];

const changed =
  (index: number, change: JsonObject): Edit =>
  (entries) =>
    entries.map((entry, i) => (i === index ? { ...entry, ...change } : entry));

/** Of a record of the reference, with its entries edited. */
async function importOf(name: string, edit: Edit, more: Partial<ImportOptions> = {}): Promise<unknown> {
  const { record, options } = await referenceRun(name);
  return readImport(withEntries(record, edit), { ...options, ...more });
}

/** What the source of a record was, with one text in place of another. */
async function otherSource(name: string, from: string, to: string): Promise<unknown> {
  const { record, options } = await referenceRun(name);
  const files = Object.fromEntries(
    Object.entries(options.source.files).map(([file, text]) => [file, text.replace(from, to)]),
  );
  return readImport(record, { ...options, source: { ...options.source, files } });
}

function refused(code: string, message: RegExp, details: JsonObject = {}): unknown {
  return expect.objectContaining({
    code,
    message: expect.stringMatching(message) as unknown,
    details: expect.objectContaining(details) as unknown,
  });
}

describe('a procedure that differs from the recorded one is refused', () => {
  it.each<[string, string, string, string, RegExp, JsonObject]>([
    [
      'another agent',
      'global-agent',
      'writer("Write about " .. "ships")',
      '(Agent { name = "other", provider = "openai", model = "gpt-4o-mini" })("x")',
      /position 0: recorded is agent_turn 'writer', the procedure now asks for agent_turn 'other'/,
      { position: '0', line: 9, expected: { position: '0', type: 'agent_turn', name: 'writer' } },
    ],
    [
      'another kind of question',
      'branch',
      'Human.select({ message = "Which way?", options = { "left", "right" } })',
      'Human.input({ message = "Which way?" })',
      /position 1 \(explicit_checkpoint\): the source around line 5 differs from the recorded one/,
      { position: '1', line: 5, file: 'branch.tac' },
    ],
    [
      'another question first',
      'approve',
      'Human.approve("Greet " .. input.name .. "?")',
      'Human.input({ message = "Who?" })',
      /position 0: the record waits for hitl_approval here, and the procedure comes to hitl_input 'Who\?'/,
      { position: '0', line: 5 },
    ],
    [
      'one checkpoint more',
      'checkpoints',
      '    local seed =',
      '    local more = checkpoint(function() return 0 end)\n    local seed =',
      /position 0 \(explicit_checkpoint\): the source around line 3 differs from the recorded one.*Then:.*Now:/s,
      { position: '0', line: 3 },
    ],
    [
      'an option that is gone',
      'requests',
      '"red", "blue"',
      '"red", "green"',
      /position 3: what is recorded doesn't answer hitl_select 'Colour\?' at 3: "blue" is none of the options/,
      { position: '3', line: 6 },
    ],
    [
      'an end that comes too soon',
      'global-agent',
      'local draft = writer("Write about " .. "ships")',
      'do return {} end local draft',
      /position 0: recorded is agent_turn 'writer', the procedure now comes to its end/,
      { position: '0', found: null },
    ],
  ])('%s', async (_, name, from, to, message, details) => {
    await expect(otherSource(name, from, to)).rejects.toEqual(refused('non_determinism', message, details));
  });

  it('another procedure altogether', async () => {
    const { record } = await referenceRun('requests');
    const { options } = await referenceRun('global-agent');
    await expect(readImport(record, options)).rejects.toEqual(
      refused(
        'non_determinism',
        /position 0: recorded is hitl_approval, the procedure now asks for agent_turn/,
      ),
    );
  });

  it('also where changes are allowed, unless what it asks for fits', async () => {
    const { record } = await referenceRun('checkpoints');
    const body = (n: number): ImportOptions => ({
      source: procedureOf(`for _ = 1, ${n} do checkpoint(function() end) end return Human.approve("Go on?")`),
      allowsChanges: true,
    });
    await expect(readImport(record, body(3))).resolves.toMatchObject({ answers: 3, left: 0 });
    await expect(readImport(record, body(2))).rejects.toEqual(
      refused('non_determinism', /recorded is explicit_checkpoint, the procedure now asks for hitl_approval/),
    );
  });
});

describe('a record that does not hold what the run would go on with is refused', () => {
  it.each<[string, string, Edit, RegExp]>([
    [
      'what was done before a wait inside',
      'waiting-inside-later',
      (all) => all,
      /ask waits \(hitl_input at 1\), and what it had done before is overwritten/,
    ],
    [
      'an entry in between',
      'checkpoints',
      (all) => all.toSpliced(1, 1),
      /position 2 \(explicit_checkpoint\) was asked for in line 5, and is now in line 4: an entry is missing/,
    ],
    [
      'the first entry',
      'checkpoints',
      (all) => all.slice(1),
      /position 1 .*an entry is missing before it: 0 is expected/,
    ],
    [
      'what a table held',
      'checkpoints',
      changed(0, { result: '<Lua table at 0x7f3d5c0>' }),
      /position 0 .*its result wasn't kept, only what Python calls it: <Lua table/,
    ],
    [
      'the result of a turn',
      'global-agent',
      changed(0, { result: 'text' }),
      /position 0 .*its result is no TactusResult: "text"/,
    ],
    [
      'a prediction',
      'http-model',
      changed(1, { result: 'PredictionResult(output={1: 2})' }),
      /position 1 .*its PredictionResult can't be read: unexpected at character 25: 1: 2/,
    ],
    [
      'a prediction at all',
      'http-model',
      changed(0, { result: 7 }),
      /position 0 .*its result is no PredictionResult: 7/,
    ],
    [
      'an answer',
      'requests',
      changed(0, { result: true }),
      /position 0 .*its result is no HITLResponse: true/,
    ],
    [
      'a boolean',
      'requests',
      changed(0, { result: { __model__: 'HITLResponse', value: 'yes' } }),
      /position 0: what is recorded doesn't answer hitl_approval 'Begin\?' at 0: an approval takes true or false/,
    ],
    [
      'a type that is known',
      'checkpoints',
      changed(0, { type: 'sleep' }),
      /position 0 \(sleep\) can't be carried over: what is recorded as sleep can't be/,
    ],
    [
      'one run',
      'checkpoints',
      changed(1, { run_id: 'other' }),
      /position 2 .*mixes entries of the runs run-1 and other/,
    ],
    [
      'a wait that is ours',
      'deferred',
      changed(1, { type: 'external_children_wait' }),
      /it waits for runs of another system/,
    ],
    [
      'times that fit',
      'checkpoints',
      changed(1, { timestamp: '2020-01-01T00:00:00+00:00' }),
      /position 1 .*ended inside of position 0/,
    ],
    [
      'times that fit a question',
      'requests',
      changed(1, { timestamp: '2020-01-01T00:00:00+00:00' }),
      /position 1 .*it ended before hitl_approval at 0 did/,
    ],
    [
      'what was mixed up when it was resumed',
      'resumed-after-many',
      changed(3, { position: 3 }),
      /position 3 .*took the answers of one for those of others/,
    ],
  ])('%s', async (_, name, edit, message) => {
    await expect(importOf(name, edit)).rejects.toEqual(refused('non_determinism', message));
  });

  it('what came first in a procedure that had not ended', async () => {
    // Its first checkpoint, which wasn't a question, is overwritten, and so is that it asked for something.
    const suspended: Edit = (all) => [{ ...(all[0] as JsonObject), result: null }];
    await expect(importOf('sub-procedure', suspended)).rejects.toEqual(
      refused('non_determinism', /draft had not ended, and asks for model_call 'writer' before it waits/),
    );
  });
});

describe('a file that is no record is refused', () => {
  it.each<[string, (text: string) => string, RegExp]>([
    [
      'cut off',
      (text) => text.slice(0, -200),
      /checkpoints\.json can't be imported: it is not JSON, or is cut off/,
    ],
    ['empty', () => '', /it is not JSON/],
    ['a list', () => '[]', /it is not a JSON object/],
    ['without an id', () => '{"execution_log": []}', /it names no procedure_id/],
    ['without a log', () => '{"procedure_id": "x", "execution_log": {}}', /its execution_log is not a list/],
    [
      'of a newer version',
      (text) => text.replace('"status"', '"schema_version": 2, "status"'),
      /the record has the unknown fields schema_version: Tactus 0\.53\.4/,
    ],
    [
      'with entries of a newer version',
      (text) => text.replace('"run_id"', '"attempt": 1, "run_id"'),
      /entry 0 of its execution_log has the unknown fields attempt:/,
    ],
    [
      'with a position that is a text',
      (text) => text.replace('"position": 1', '"position": "1"'),
      /entry 1 of its execution_log has the position "1"; a number from 1 on is expected/,
    ],
    [
      'with a position that was there',
      (text) => text.replace('"position": 1', '"position": 0'),
      /entry 1 .* has the position 0; a number from 1 on/,
    ],
    [
      'without a type',
      (text) => text.replace('"type": "explicit_checkpoint"', '"type": null'),
      /entry 0 .* has no type/,
    ],
    [
      'with no time',
      (text) => text.replace(/"timestamp": "[^"]*"/, '"timestamp": "yesterday"'),
      /entry 0 .* has the timestamp "yesterday"/,
    ],
    ['with NaN', (text) => text.replace('"result": true', '"result": NaN'), /it is not JSON/],
  ])('%s', async (_, edit, message) => {
    const { record, options } = await referenceRun('checkpoints');
    await expect(readImport(edit(record), options)).rejects.toEqual(refused('file_failed', message));
  });

  it('says that it needs a source, and takes its input as any start does', async () => {
    const { record, options } = await referenceRun('approve');
    await expect(readImport(record, { place: 'approve.json' })).rejects.toEqual(
      refused('usage', /approve\.json holds no source\. .*--source FILE/),
    );
    await expect(readImport(record, { ...options, input: {} })).rejects.toEqual(
      refused('input_invalid', /name/),
    );
    await expect(readImport(record, { ...options, source: procedureOf('return (') })).rejects.toEqual(
      refused('source_invalid', /./),
    );
  });
});
