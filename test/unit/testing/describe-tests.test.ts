import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json.js';
import { describeTests } from '../../../src/testing/describe-tests.js';

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
