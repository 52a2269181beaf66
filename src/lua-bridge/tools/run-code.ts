import type { CodeReview, CodeUse } from '../../contract/tools/code-review.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { noPolicy } from '../../contract/tools/tool-policy.js';
import type { Bridge } from '../kernel/bridge.js';
import { currentFrame } from '../scheduler/frame.js';
import type { Step } from '../scheduler/native.js';
import { affordRun } from '../budgets/afford-run.js';
import { isNamed } from '../budgets/is-recorded.js';
import { leftOf } from '../budgets/run-budgets.js';
import type { LuaState } from '../vm/fengari.js';
import { denied, judge, permission } from './permission.js';
import type { NamedTool } from './toolset-declaration.js';

/** What was written it over. */
interface WrittenOver {
  agent: string;
  /** By their names as variables. */
  tools: ReadonlyMap<string, NamedTool>;
}

/**
 * Runs a procedure that a model has written over its tools, as a run of its own. Before anything of it runs it is looked at, held to the
 * policy and the budgets, and shown to a person where the policy wants that.
 * @throws TactusError tool_failed where it can't be run; tool_denied, budget_exhausted, child_failed
 */
export function* runCode(
  bridge: Bridge,
  L: LuaState,
  named: NamedTool,
  { agent, tools }: WrittenOver,
  args: JsonValue,
): Generator<Step, JsonValue, unknown> {
  const text = textOf(args);
  const names = [...tools.keys()];
  const check = { kind: 'code_check', text, tools: names } as const;
  const review = (yield {
    effect: { type: 'code_check', name: 'code_check', effect: check },
  }) as CodeReview;
  const { problems, uses, graph } = review;
  if (problems.length > 0) throw refused(problems.map(({ line, message }) => `line ${line}: ${message}`));
  for (const use of uses) holdToPolicy(bridge, tools.get(use.tool), use);
  const { toolCalls } = leftOf(bridge, L);
  if (toolCalls !== undefined && uses.length > toolCalls)
    throw refused([`it calls tools at ${uses.length} places, and ${toolCalls} calls are left`]);
  const shown = { code: text, tools: [...new Set(uses.map(({ tool }) => tool))], graph };
  yield* permission(bridge, L, named, shown);
  const asked = { type: 'procedure_call', name: `code of ${agent}` } as const;
  const budget = yield* affordRun(bridge, L, {
    what: `the procedure that ${agent} wrote`,
    own: null,
    isRecorded: isNamed(asked),
  });
  const file = `code/${currentFrame(L).position}.lua`;
  const effect = { kind: 'procedure', file, input: {}, code: { agent, text }, ...budget } as const;
  return (yield { effect: { ...asked, effect } }) as JsonValue;
}

/** Models write what they were asked for as they write it in texts. */
function textOf(args: JsonValue): string {
  const given = isObject(args) ? args['code'] : null;
  const text = typeof given === 'string' ? given : '';
  return /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

function refused(problems: readonly string[]): TactusError {
  return new TactusError('tool_failed', `nothing was run: ${problems.join('; ')}`);
}

/**
 * A tool that may not be called at all, or not with what is written there. Of arguments that are computed the call itself is judged.
 * @throws TactusError tool_denied
 */
function holdToPolicy(bridge: Bridge, tool: NamedTool | undefined, { args, line }: CodeUse): void {
  if (tool === undefined) return;
  const { toolPolicy = noPolicy } = bridge.run.settings;
  const isSettled = args !== null;
  const rules = toolPolicy.rules.filter(({ when }) => isSettled || when === undefined);
  const { action } = judge(bridge, tool, args ?? {}, { ...toolPolicy, rules });
  if (action === 'deny')
    throw denied(tool, `the policy forbids it (line ${line}), and nothing of the procedure was run`);
}
