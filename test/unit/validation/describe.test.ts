import { expect, it } from 'vitest';
import { validateSource } from '../../../src/validation/index.js';

function describeOf(source: string): unknown {
  return validateSource({ entry: 'orders/refund.tac', files: { 'orders/refund.tac': source } }).describe;
}

it('tells what a procedure declares', () => {
  const source = `
local done = require("tactus.tools.done")
lookup = Tool { description = "Finds an order", input = { id = field.string{required = true} }, function(args) return args.id end }
clerk = Agent { model = "gpt-5-mini", provider = "openai", system_prompt = "You help.", tools = {lookup, done, "lookup"} }
Model "fraud" { type = "http", endpoint = "https://models.example/fraud" }
Procedure {
  description = "Refunds an order", version = "1.2", author = "Ada", tags = {"money"},
  input = { order = {type = "string", required = true, description = "Its number"} },
  output = { refunded = field.boolean{required = true} },
  state = { tries = field.integer{default = 0} },
  function(input)
    clerk(input.order)
    return { refunded = Model("fraud")(input.order).output == 0 }
  end
}
Specification([[
Feature: Refunds
  Scenario: A good customer
    Given the procedure has started
  Scenario: A fraud
]])
Specification { from = "more.feature" }`;
  expect(describeOf(source)).toEqual({
    name: 'refund',
    description: 'Refunds an order',
    version: '1.2',
    author: 'Ada',
    tags: ['money'],
    strict_determinism: false,
    input: { order: { type: 'string', required: true, description: 'Its number' } },
    output: { refunded: { type: 'boolean', required: true } },
    state: { tries: { type: 'integer', required: false, default: 0 } },
    agents: [{ name: 'clerk', model: 'openai/gpt-5-mini', tools: ['lookup', 'done', 'lookup'] }],
    models: [{ name: 'fraud', type: 'http' }],
    tools: [
      {
        name: 'done',
        description: expect.stringContaining('done') as string,
        input: expect.anything() as object,
      },
      {
        name: 'lookup',
        description: 'Finds an order',
        input: { id: { type: 'string', required: true } },
      },
    ],
    tasks: [],
    specifications: [
      { feature: 'Refunds', scenarios: ['A good customer', 'A fraud'], from: null },
      { feature: null, scenarios: [], from: 'more.feature' },
    ],
  });
});

it('tells what a script declares', () => {
  const source =
    'input { n = field.number{default = 1} }\noutput { twice = field.number{} }\nreturn { twice = 2 * input.n }';
  expect(describeOf(source)).toMatchObject({
    name: 'refund',
    input: { n: { type: 'number', default: 1 } },
    output: { twice: { type: 'number' } },
    agents: [],
  });
});

it('has empty lists and nulls where nothing is declared', () => {
  expect(describeOf('function main() return 1 end')).toEqual({
    ...{
      name: 'refund',
      description: null,
      version: null,
      author: null,
      tags: [],
      strict_determinism: false,
    },
    ...{
      input: null,
      output: null,
      state: {},
      agents: [],
      models: [],
      tools: [],
      tasks: [],
      specifications: [],
    },
  });
});

it('tells which tasks there are, and no input of a procedure that they call', () => {
  const source = `
fetch = Procedure { input = { url = field.string{} }, function(input) return input.url end }
Task "build" { description = "Builds it", entry = fetch, fast = { entry = fetch } }
Task "test" { depends_on = "build", entry = fetch }`;
  expect(describeOf(source)).toMatchObject({
    input: null,
    tasks: [
      { name: 'build', description: 'Builds it', depends_on: [] },
      { name: 'build:fast', description: null, depends_on: [] },
      { name: 'test', description: null, depends_on: ['build'] },
    ],
  });
});
