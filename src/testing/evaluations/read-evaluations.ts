import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import type { EvaluatorType } from '../../contract/specifications/scenario.js';
import { getOwn, isObject, readJson, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { EvaluatorTable, type Evaluator } from './evaluator.js';
import {
  agentTurns,
  contains,
  containsAny,
  equalsExpected,
  exactMatch,
  isInstance,
  jsonSchema,
  llmJudge,
  maxCost,
  maxIterations,
  maxLength,
  maxTokens,
  minLength,
  range,
  regex,
  stateCheck,
  toolCalled,
} from './evaluators.js';

export interface EvaluationCase {
  name: string;
  input: JsonObject;
  expected: JsonValue;
}

/** An `Evaluation` of a file. */
export interface Evaluation {
  cases: EvaluationCase[];
  evaluators: { name: string; evaluate: Evaluator }[];
  /** How often each case runs. */
  runs: number;
  parallel: boolean;
  thresholds: Thresholds;
}

/** What a file's evaluation must reach. */
interface Thresholds {
  /** Share of the runs that must pass, from 0 to 1. */
  minSuccessRate: number;
  /** In US dollars; null: any. */
  maxCostPerRun: number | null;
  /** In seconds of this machine's time; null: any. */
  maxDuration: number | null;
  maxTokensPerRun: number | null;
}

const makers: Record<EvaluatorType, (table: EvaluatorTable) => Evaluator> = {
  agent_turns: agentTurns,
  contains,
  contains_any: containsAny,
  equals_expected: equalsExpected,
  exact_match: exactMatch,
  is_instance: isInstance,
  json_schema: jsonSchema,
  llm_judge: llmJudge,
  max_cost: maxCost,
  max_iterations: maxIterations,
  max_length: maxLength,
  max_tokens: maxTokens,
  min_length: minLength,
  range,
  regex,
  state_check: stateCheck,
  tool_called: toolCalled,
};

/**
 * Reads a file's `Evaluation`s that have a dataset; others only say how often scenarios are to run.
 * @throws TactusError source_invalid naming the field; source_not_found for a dataset file
 */
export async function readEvaluations(file: string, declared: readonly JsonObject[]): Promise<Evaluation[]> {
  const evaluations: Evaluation[] = [];
  for (const table of declared) {
    const items = await datasetOf(table, file);
    if (items === null) continue;
    evaluations.push({
      cases: items.map(readCase),
      evaluators: listOf(table['evaluators'], 'evaluators').map(readEvaluator),
      runs: countOf(table['runs']),
      parallel: table['parallel'] !== false,
      thresholds: readThresholds(table['thresholds']),
    });
  }
  return evaluations;
}

function invalid(problem: string): TactusError {
  return new TactusError('source_invalid', `Evaluation: ${problem}`);
}

async function datasetOf(table: JsonObject, file: string): Promise<JsonValue[] | null> {
  const { dataset_file: name } = table;
  if (typeof name !== 'string')
    return table['dataset'] === undefined ? null : listOf(table['dataset'], 'dataset');
  const text = await readFile(join(dirname(file), name), 'utf8').catch(() => {
    throw new TactusError('source_not_found', `Evaluation: there is no file ${name} beside ${file}`, {
      file: name,
    });
  });
  try {
    if (!name.endsWith('.jsonl')) return listOf(readJson(text), `the file ${name}`);
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readJson(line)]));
  } catch (error) {
    if (error instanceof TactusError) throw error;
    throw invalid(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readCase(item: JsonValue, index: number): EvaluationCase {
  if (!isObject(item)) throw invalid(`dataset[${index + 1}] must be a table with name and inputs`);
  const input = item['inputs'] ?? item['input'] ?? {};
  const isEmpty = Array.isArray(input) && input.length === 0; // {} of Lua's
  if (!isEmpty && !isObject(input))
    throw invalid(`dataset[${index + 1}]: inputs must be a table of the input's fields`);
  const name = typeof item['name'] === 'string' ? item['name'] : `case ${index + 1}`;
  return {
    name,
    input: isObject(input) ? input : {},
    expected: item['expected_output'] ?? item['expected'] ?? null,
  };
}

function readEvaluator(item: JsonValue, index: number): Evaluation['evaluators'][number] {
  if (!isObject(item))
    throw invalid(`evaluators[${index + 1}] must be an evaluator such as field.contains{…}`);
  const table = new EvaluatorTable(item);
  const make = getOwn(makers, table.type);
  if (make === undefined)
    throw invalid(
      `evaluators[${index + 1}]: there is no ${table.type || 'evaluator without a type'}; there are ${Object.keys(makers).join(', ')}`,
    );
  const field = table.optionalText('field');
  return { name: field === null ? table.type : `${table.type} of ${field}`, evaluate: make(table) };
}

function readThresholds(given: JsonValue | undefined): Thresholds {
  const table = given !== undefined && isObject(given) ? given : {};
  const number = (name: string): number | null => {
    const value = getOwn(table, name);
    return typeof value === 'number' ? value : null;
  };
  return {
    minSuccessRate: number('min_success_rate') ?? 1,
    maxCostPerRun: number('max_cost_per_run'),
    maxDuration: number('max_duration'),
    maxTokensPerRun: number('max_tokens_per_run'),
  };
}

function countOf(runs: JsonValue | undefined): number {
  if (runs === undefined) return 1;
  if (typeof runs === 'number' && Number.isInteger(runs) && runs > 0) return runs;
  throw invalid(`runs must be a positive integer, not ${JSON.stringify(runs)}`);
}

function listOf(value: JsonValue | undefined, what: string): JsonValue[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw invalid(`${what} must be a list`);
}
