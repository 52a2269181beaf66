import { codeName, type CodeReview, type CodeUse } from '../../contract/tools/code-review.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { noPolicy, type ToolRule } from '../../contract/tools/tool-policy.js';
import { currentFrame, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { newTool, toolSpec, type NamedTool } from './tool-declaration.js';
import { denied, judge, permission } from './permission.js';
import { affordRun, isNamed } from '../budgets/afford.js';
import { deadlineOfChild } from '../budgets/deadline.js';
import { leftOf } from '../budgets/run-budgets.js';

/** What the model calls that writes a procedure over its tools. */
const codeToolName = 'run_procedure';

/** How an agent writes procedures. */
export interface CodeMode {
  /** Whether a person must say yes to each. */
  approval: ToolRule | null;
}

/**
 * In place of an agent's tools the one by which it runs a procedure over them. What is built in stays beside it.
 * @throws TactusError tool_failed where two tools would be the same variable
 */
export function inCodeMode(
  bridge: Bridge,
  agent: string,
  tools: readonly NamedTool[],
  mode: CodeMode,
): NamedTool[] {
  const over = codeTools(tools);
  const kept = tools.filter(isKept);
  const tool = newTool(`code.${agent}`, {
    description: describe([...over.entries()]),
    input: {
      code: {
        type: 'string',
        required: true,
        description: 'The body of a Lua function; it ends with return',
      },
    },
    options: mode.approval === null ? {} : { approval: mode.approval },
  });
  const named = { name: codeToolName, tool, listed: null };
  tool.perform = (L, args) => runCode(bridge, L, named, { agent, tools: over }, args);
  return [named, ...kept];
}

/** Those that are procedures' to call, by their names as variables. */
export function codeTools(tools: readonly NamedTool[]): Map<string, NamedTool> {
  const over = new Map<string, NamedTool>();
  for (const each of tools.filter((tool) => !isKept(tool))) {
    const name = codeName(each.name);
    const known = over.get(name);
    if (known !== undefined)
      throw new TactusError(
        'tool_failed',
        `${known.name} and ${each.name} are both ${name} in a procedure: give one a prefix`,
      );
    over.set(name, each);
  }
  return over;
}

/** `done`, `log`, `read_skill`, those of a plan: they are about the turn or the run. What a provider runs, no procedure can call. */
function isKept({ tool: { answer, provided, isInRun } }: NamedTool): boolean {
  return answer !== null || provided !== null || isInRun;
}

function describe(tools: [string, NamedTool][]): string {
  return [
    'Runs a procedure that you write in Lua 5.3 over the functions below, and gives what it returns. Do as much as you can in one procedure: ' +
      'loops, conditions and sums cost nothing. Each function takes one table and waits for its result; a failure is an error that pcall catches. ' +
      'Parallel{ function() … end, … } and Parallel.map(list, function(item) … end) do several at once, and give the results in order. ' +
      'There is plain Lua (string, table, math), Json.encode, Json.decode and Log.info, and nothing else: no require, no io, no os.',
    ...tools.map(([name, tool]) => signature(name, tool)),
  ].join('\n');
}

/** `lookup{ id: string, note?: string } -- Looks an order up.` */
function signature(name: string, tool: NamedTool): string {
  const { description, parameters } = toolSpec(tool);
  const properties = isObject(parameters['properties'] ?? null)
    ? (parameters['properties'] as JsonObject)
    : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const fields = Object.entries(properties).map(
    ([field, schema]) => `${field}${required.includes(field) ? '' : '?'}: ${typeText(schema)}`,
  );
  const said = description === '' ? '' : ` -- ${description.replace(/\s+/g, ' ')}`;
  return `${name}${fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`}${said}`;
}

function typeText(schema: JsonValue): string {
  if (!isObject(schema)) return 'any';
  const { type = 'any', enum: labels, description } = schema;
  const shown = Array.isArray(labels) ? labels.map((each) => JSON.stringify(each)).join('|') : '';
  const isPlain = typeof type === 'string' && type !== 'object' && type !== 'array';
  const text = shown || (isPlain ? type : JSON.stringify(schema));
  return typeof description === 'string' && isPlain ? `${text} (${description})` : text;
}

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
function* runCode(
  bridge: Bridge,
  L: LuaState,
  named: NamedTool,
  { agent, tools }: WrittenOver,
  args: JsonValue,
): Generator<Step, JsonValue, unknown> {
  const text = codeIn(args);
  const names = [...tools.keys()];
  const check = { kind: 'code_check', text, tools: names } as const;
  const review = (yield {
    effect: { type: 'code_check', name: 'code_check', effect: check },
  }) as CodeReview;
  const { problems, uses, graph } = review;
  if (problems.length > 0) throw codeRefused(problems.map(({ line, message }) => `line ${line}: ${message}`));
  for (const use of uses) holdToPolicy(bridge, tools.get(use.tool), use);
  const { toolCalls } = leftOf(bridge, L);
  if (toolCalls !== undefined && uses.length > toolCalls)
    throw codeRefused([`it calls tools at ${uses.length} places, and ${toolCalls} calls are left`]);
  const shown = { code: text, tools: [...new Set(uses.map(({ tool }) => tool))], graph };
  yield* permission(bridge, L, named, shown);
  const asked = { type: 'procedure_call', name: `code of ${agent}` } as const;
  const share = yield* affordRun(bridge, L, {
    what: `the procedure that ${agent} wrote`,
    own: null,
    isRecorded: isNamed(asked),
  });
  const file = `code/${currentFrame(L).position}.lua`;
  const effect = {
    kind: 'procedure',
    file,
    input: {},
    code: { agent, text },
    ...share,
    ...deadlineOfChild(bridge, L),
  } as const;
  return (yield { effect: { ...asked, effect } }) as JsonValue;
}

/** Models write what they were asked for as they write it in texts. */
function codeIn(args: JsonValue): string {
  const given = isObject(args) ? args['code'] : null;
  const text = typeof given === 'string' ? given : '';
  return /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

function codeRefused(problems: readonly string[]): TactusError {
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
