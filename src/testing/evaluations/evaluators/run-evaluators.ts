import { canonicalJson, getOwn } from '../../../contract/json/json.js';
import { turnsOf } from '../../../contract/specifications/scenario.js';
import { problemIf, type Evaluator, type Judgement, type EvaluatorTable } from '../evaluator.js';
import { shown } from '../expected-value.js';

/** `field.max_iterations{value = 5}`: turns of all agents. */
export function maxIterations(table: EvaluatorTable): Evaluator {
  const most = table.number('value', 'max_iterations');
  return (run) =>
    problemIf(
      turnsOf(run.observed) > most,
      () => `there were ${turnsOf(run.observed)} iterations, expected ${most} at most`,
    );
}

/** `field.max_cost{value = 0.01}`, in US dollars. */
export function maxCost(table: EvaluatorTable): Evaluator {
  const most = table.number('value', 'max_cost');
  return ({ costUsd }) => {
    if (costUsd === null) return { unknown: 'what the model costs is not known' };
    return problemIf(costUsd > most, () => `it cost ${costUsd} $, expected ${most} $ at most`);
  };
}

/** `field.max_tokens{value = 1000}`: of questions and answers. */
export function maxTokens(table: EvaluatorTable): Evaluator {
  const most = table.number('value', 'max_tokens');
  return ({ tokens }) => problemIf(tokens > most, () => `it took ${tokens} tokens, expected ${most} at most`);
}

/** `field.tool_called{value = "search", min_value = 1, max_value = 3}`. */
export function toolCalled(table: EvaluatorTable): Evaluator {
  const tool = table.text('value');
  return ({ observed }) => {
    const count = observed.toolCalls.filter((call) => call.tool === tool).length;
    return outside(table, count, `the tool ${tool} was called ${count} times`);
  };
}

/** `field.agent_turns{field = "writer", min_value = 1, max_value = 3}`; without a name, of all agents. */
export function agentTurns(table: EvaluatorTable): Evaluator {
  const agent = table.optionalText('field');
  return (run) => {
    const count = agent === null ? turnsOf(run.observed) : (run.observed.agentTurns[agent] ?? 0);
    return outside(table, count, `${agent ?? 'all agents'} took ${count} turns`);
  };
}

/** `field.state_check{field = "counter", value = 3}`: the state at the end. */
export function stateCheck(table: EvaluatorTable): Evaluator {
  const name = table.text('field');
  const wanted = table.value ?? null;
  return ({ state }) => {
    const actual = getOwn(state, name) ?? null;
    return problemIf(
      canonicalJson(actual) !== canonicalJson(wanted),
      () => `the state ${name} is ${shown(actual)}, expected ${shown(wanted)}`,
    );
  };
}

function outside(table: EvaluatorTable, count: number, what: string): Judgement {
  const least = table.optionalNumber('min_value') ?? 1;
  const most = table.optionalNumber('max_value') ?? Infinity;
  return problemIf(
    count < least || count > most,
    () => `${what}, expected ${least} to ${most === Infinity ? '…' : most}`,
  );
}
