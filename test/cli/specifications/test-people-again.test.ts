import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const types = readFileSync(resolve(import.meta.dirname, '../../../types/people.lua'), 'utf8');

/** Every way to ask people, with every option that one may have. */
const calls = [
  'Human.approve { prompt = "Pay?", context = { amount = 3 }, timeout = "1d", default = true }',
  'Human.approve { message = "Pay?", approvers = { "a", "b", "c" }, quorum = 2 }',
  'Human.approve { message = "Pay?", approvers = "a", default_on_timeout = false, timeout = "2h" }',
  'Human.approve { message = "Pay?", timeout = "1d", escalate_to = "boss" }',
  'Human.approve { message = "Pay?", timeout = "1d", escalate_to = { { to = "boss", timeout = "1h" }, { to = { "cfo" } } } }',
  'Human.approve { message = "Pay?", requester = "rob", separation = true }',
  'Human.approve { message = "Pay?", timeout = "1d", on_timeout = "error" }',
  'Human.approve { message = "Pay?", expires_at = "2199-01-31T12:00:00Z" }',
  'Human.approve { message = "Pay?", label = "Pay", metadata = { a = 1 }, action_key = "x", resource_refs = { "y" } }',
  'Human.approve { message = "Pay?", preconditions = { a = 1 } }',
  'Human.approve { message = "Pay?", preconditions = function() return { a = 1 } end }',
  'Human.approve { message = "Pay?", remind_every = "8h", timeout = "1d", channels = {} }',
  'Human.approve { message = "Pay?", timeout = "1d", on_undelivered = "escalate", escalate_to = "b" }',
  'Human.approve { config_key = "declared" }',
  'Human.input { message = "Why?", placeholder = "x", multiline = true, required = true, input_type = "text" }',
  'Human.input { message = "Which?", options = { "red", { value = "blue", label = "Blue", description = "as the sky" } } }',
  'Human.input { message = "How many?", response_schema = { type = "string" }, ui_schema = { rows = 3 } }',
  'Human.review { message = "Good?", artifact = "# A", artifact_type = "markdown", options = { "approve", "again" } }',
  'Human.select { message = "Which?", options = { "a", "b" }, style = "radio" }',
  'Human.select { message = "Which?", options = { "a", "b" }, mode = "multiple", min = 1, max = 2 }',
  'Human.multiple { { id = "why", label = "Why?", type = "input", required = true }, { id = "ok", label = "So?", type = "approval" } }',
  'Human.multiple { message = "Trip", items = { { id = "to", message = "To?", type = "select", options = { "a", "b" } } } }',
  'Human.upload { message = "Papers", accept = ".pdf", max_size = "10MB", multiple = true }',
  'Human.escalate { message = "Full", severity = "critical" }',
  'Human.notify { message = "Full", level = "warning" }',
  'Human.custom { message = "Pay?", component_type = "x", data = { 1 }, actions = { "pay" } }',
  'pay { amount = 100 }.ok',
];

const source = `Hitl("declared", { message = "Declared?", timeout = "1d" })
pay = Tool { input = { amount = field.number { required = true } }, approval = true, function() return { ok = true } end }
Procedure {
  input = { which = field.integer { required = true } },
  function(input)
    local calls = {
${calls.map((call) => `      function() return ${call} end,`).join('\n')}
    }
    local ok, answer = pcall(calls[input.which])
    return { ok = ok, answer = ok and answer or tostring(answer) }
  end,
}
Specification([[
Feature: People
${calls
  .map(
    (_, index) => `  Scenario: call ${index + 1}
    Given the input which is ${index + 1}
    When the procedure runs
    Then the procedure should complete successfully
    And the output ok should be True`,
  )
  .join('\n')}
]])
`;

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('people.tac', source);
});
afterAll(() => folder.close());

it('knows every option of a request', () => {
  const requests = types.slice(0, types.indexOf('---@alias tactus.Option'));
  const options = [...requests.matchAll(/^---@field (\w+)/gm)].map(([, name]) => name ?? '');
  // A worker calls no address that its configuration doesn't name.
  const missing = options.filter(
    (name) => name !== 'callback_url' && !new RegExp(`\\b${name} =`).test(source),
  );
  expect(missing).toEqual([]);
});

it.each(['--twice', '--crash-everywhere'])('%s finds nothing in any of them', async (option) => {
  const ended = await folder.runHere(['test', 'people.tac', '--mock', option, '--json']);
  const [file] = ended.json()['files'] as {
    scenarios: { name: string; steps: { status: string; message: string }[] }[];
  }[];
  const faults = file?.scenarios.flatMap(({ name, steps }) =>
    steps.filter(({ status }) => status !== 'passed').map(({ message }) => `${name}: ${message}`),
  );
  expect(faults, ended.stderr).toEqual([]);
  expect(file?.scenarios).toHaveLength(calls.length);
});
