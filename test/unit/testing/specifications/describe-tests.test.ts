import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import { describeTests } from '../../../../src/testing/specifications/declared-tests.js';

const input = `input = {
  name = {type = "string", required = true}, count = {type = "integer", required = true},
  tone = {type = "string", required = true, default = "kind"}, note = {type = "string"} }`;

function standInsOf(source: string): JsonObject {
  return describeTests({ entry: 'main.tac', files: { 'main.tac': source } }).standIns;
}

describe('what scenarios are given that none of their steps tells of', () => {
  it('is the required input of an older procedure', () => {
    expect(standInsOf(`main = procedure("main", {${input}}, function() return {} end)`)).toEqual({
      name: 'test name',
      count: 1,
    });
  });

  it.each([`Procedure {${input}, function() return {} end}`, 'function main() return {} end'])(
    'is nothing for %s',
    (source) => {
      expect(standInsOf(source)).toEqual({});
    },
  );
});

describe('a script', () => {
  it.each([
    'Human.approve("Go?")',
    'Human.input("Name?")',
    'Human.review{ message = "Fine?", artifact = "x" }',
  ])('that asks people before its declarations is described: %s', (call) => {
    expect(
      standInsOf(
        `local answer = ${call}\nlocal ok = pcall(function() return ${call} end)\nreturn { ok = ok }`,
      ),
    ).toEqual({});
  });

  const scenario = 'Specification([[\nFeature: F\n  Scenario: S\n    When the procedure runs\n]])';

  it.each([
    [
      'before its input',
      `${scenario}\ninput { name = field.string{required = true} }\nreturn { n = #input.name }`,
    ],
    [
      'after its input',
      `input { name = field.string{required = true} }\n${scenario}\nreturn { n = #input.name }`,
    ],
    [
      'after what its input is used for',
      `input { name = field.string{required = true} }\nlocal n = #input.name\n${scenario}\nreturn { n = n }`,
    ],
  ])('declares tests %s', (_, source) => {
    const declared = describeTests({ entry: 'main.tac', files: { 'main.tac': source } });
    expect(declared.specifications).toHaveLength(1);
  });

  it('that goes wrong before its tests has none, and is no broken file', () => {
    const source = `-- no procedure\nlocal n = input.n + 1\n${scenario}\nreturn { n = n }`;
    expect(describeTests({ entry: 'main.tac', files: { 'main.tac': source } }).specifications).toEqual([]);
  });
});
