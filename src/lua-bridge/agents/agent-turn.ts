import { digestOf } from '../../contract/digest.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { jsonAnswer } from '../../contract/json-answer.js';
import type { Message, ModelCallResult, ToolCall, ToolSpec } from '../../contract/model-call.js';
import { declaredAgents, outputSchema } from './agent-declaration.js';
import { runBranches } from '../checkpoints/branches.js';
import type { Bridge } from '../kernel/bridge.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { currentFrame } from '../scheduler/frame.js';
import { mockedTurn } from './mocked-turn.js';
import { toFunction, type Step } from '../scheduler/native.js';
import { LuaRaised } from '../scheduler/lua-raised.js';
import { askModels } from '../models/ask-models.js';
import { parseAnswer } from '../models/parse-answer.js';
import { checkValue, toJsonSchema } from '../values/schema.js';
import type { Branch } from '../scheduler/task.js';
import { skillDigests, skillsManifest } from '../tools/skills.js';
import { systemPrompt, templateValues } from './prompt.js';
import { fillTemplate } from './template.js';
import { callTool, toolArguments } from '../tools/tool-call.js';
import type { NamedTool } from '../tools/toolset-declaration.js';
import { turnMessages } from './turn-messages.js';
import type { TurnRequest } from './turn-request.js';
import { addCost, type TurnCost, type TurnResult } from './turn-result.js';
import { errorText } from '../scheduler/lua-error.js';
import { lua, pushText, toText, type LuaState } from '../vm/fengari.js';
import { conversation } from './conversation.js';
import { mocks } from '../mocks/mocks.js';
import { progress } from '../progress/progress.js';
import { observed } from '../specifications/observed.js';

/**
 * One turn of an agent: asks the model, runs the tools that it asks for (side by side where it asks for several), and
 * asks again with their results, until it answers in words or says that it is done.
 */
export function* agentTurn(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
): Generator<Step, TurnResult, unknown> {
  const { agent, name } = turn;
  const title = `${name} · turn ${progress.of(bridge).beginTurn(name)}`;
  const step = currentFrame(L).scope.step;
  const input = {
    message: turn.message,
    ...(Object.keys(turn.params).length === 0 ? {} : { params: turn.params }),
    ...(agent.skills.skills.length === 0 ? {} : { skills: skillDigests(agent.skills.skills) }),
  };
  const spec = {
    type: 'agent_turn',
    name: step === null ? name : `${step}.${name}`,
    input,
    digest: digestOf(input),
    scope: { isRecorded: true },
    title,
  } as const;
  const result = (yield* checkpointed(bridge, L, spec, () => converse(bridge, L, turn, title))) as TurnResult;
  const said = conversation.of(bridge, L);
  if (turn.mode !== 'isolated')
    for (const message of result.messages as unknown as Message[]) said.add(message, agent, bridge.now());
  said.endTurn(agent, { output: result.output, usage: result.usage, cost: result.cost ?? null });
  return result;
}

function* converse(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  title: string,
): Generator<Step, JsonValue, unknown> {
  const { agent } = turn;
  const values = yield* templateValues(bridge, L, turn);
  const prompt = yield* systemPrompt(bridge, L, turn, values);
  const { system: context, before, opening } = yield* turnMessages(bridge, L, turn, values);
  const { skills, isFull } = agent.skills;
  const manifest = skillsManifest(skills, isFull);
  const system = [prompt, manifest, context].filter((text) => text !== null).join('\n\n') || null;
  const added: Message[] = [];
  const hasSpoken = turn.mode !== 'isolated' && conversation.of(bridge, L).hasSpoken(agent);
  const initial = hasSpoken ? null : agent.initialMessage;
  const first =
    (turn.message === '' ? null : turn.message) ??
    (initial === null ? opening : fillTemplate(initial, values, bridge.limits.payloadBytes));
  const noticed = observed(bridge);
  if (noticed !== null) noticed.agentTurns[turn.name] = (noticed.agentTurns[turn.name] ?? 0) + 1;
  const isOnly = declaredAgents.of(bridge).length === 1;
  const mock = mocks.of(bridge).turn(turn.name, { ...agent, isOnly }, turn.message);
  if (mock !== null) return yield* mockedTurn(bridge, L, turn, mock, first);
  if (first !== null) added.push({ role: 'user', content: first });
  const rounds = Math.min(agent.rounds ?? bridge.limits.turnRounds, bridge.limits.turnRounds);
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  let cost: TurnCost | null = { prompt_cost: 0, completion_cost: 0 };
  for (let round = 0; round < rounds; round++) {
    const call = {
      agent: turn.name,
      system,
      messages: [...before, ...added],
      tools: turn.tools.map(toolSpec),
      outputSchema: outputSchema(agent.output),
      ...(turn.isLenient ? ({ isLenient: true } as const) : {}),
      settings: turn.settings,
    };
    const answer = yield* askModels(bridge, { name: turn.name, title, call }, turn.models);
    usage.prompt_tokens += answer.usage.input_tokens;
    usage.completion_tokens += answer.usage.output_tokens;
    cost = addCost(cost, answer.usage);
    usage.total_tokens = usage.prompt_tokens + usage.completion_tokens;
    const { text, toolCalls } = answer;
    added.push({ role: 'assistant', content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) });
    if (toolCalls.length > 0) added.push(...(yield* runTools(bridge, L, turn, toolCalls)));
    if (toolCalls.length === 0 || toolCalls.some((each) => each.name === 'done'))
      return {
        output: readOutput(turn, answer),
        usage,
        ...(cost === null ? {} : { cost: { ...cost } }),
        messages: added as unknown as JsonValue,
        ...(answer.confidences === undefined ? {} : { confidences: { ...answer.confidences } }),
      };
  }
  throw new TactusError(
    'model_call_failed',
    `${turn.name} still calls tools after ${rounds} rounds of one turn`,
  );
}

/** What the file says of a tool outside of the run goes before what the worker says. */
function toolSpec({ name, tool, listed }: NamedTool): ToolSpec {
  const isTold = listed === null || Object.keys(tool.input).length > 0;
  return {
    name,
    description: tool.description || (listed?.description ?? ''),
    parameters: isTold ? toJsonSchema(tool.input) : listed.parameters,
  };
}

/** Runs what the model asked for. An error of a tool is for the model to read; only what ends the run passes. */
function* runTools(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  calls: ToolCall[],
): Generator<Step, Message[], unknown> {
  const contents: string[] = [];
  const [only] = calls;
  if (calls.length === 1 && only !== undefined) contents.push(yield* runTool(bridge, L, turn, only));
  else {
    const branches = calls.map((call): Branch => (thread) => {
      lua.lua_pushcfunction(
        thread,
        toFunction(bridge.scheduler, function* (inner) {
          pushText(inner, yield* runTool(bridge, inner, turn, call));
          return 1;
        }),
      );
      return 0;
    });
    // Tools are a part of the turn: what they say is said in its conversation, however many are called.
    yield* runBranches(bridge, L, branches, { concurrency: calls.length, isApart: false });
    for (let i = 1; i <= calls.length; i++) {
      lua.lua_rawgeti(L, -1, i);
      contents.push(toText(L, -1) ?? '');
      lua.lua_pop(L, 1);
    }
    lua.lua_pop(L, 1);
  }
  return calls.map(({ id, name }, i) => ({ role: 'tool', toolCallId: id, name, content: contents[i] ?? '' }));
}

function* runTool(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  call: ToolCall,
): Generator<Step, string, unknown> {
  const found = toolOf(turn, call.name);
  /** It was never called, so there is no entry for it: the author sees what the model was told. */
  const refuse = (message: string): string => {
    const context = { agent: turn.name, tool: call.name };
    bridge.show({
      kind: 'log',
      level: 'warning',
      message: `${turn.name} · ${call.name}: ${message}`,
      context,
    });
    return errorResult(message);
  };
  if (found === undefined)
    return refuse(
      `there is no tool ${call.name}; there are: ${turn.tools.map(({ name }) => name).join(', ')}`,
    );
  if (call.invalid !== undefined) return refuse(`the arguments are no JSON: ${call.invalid.slice(0, 200)}`);
  const wrong = wrongArguments(found, call.arguments);
  if (wrong !== null) return refuse(wrong);
  const top = lua.lua_gettop(L);
  try {
    const result = yield* callTool(bridge, L, found, call.arguments);
    return readable(bridge, typeof result === 'string' ? result : JSON.stringify(result));
  } catch (error) {
    if (error instanceof LuaRaised) {
      const message = errorText(L, -1);
      lua.lua_settop(L, top);
      return errorResult(message);
    }
    if (error instanceof TactusError && forTheModel(found).includes(error.code))
      return errorResult(error.message);
    throw error;
  }
}

/** Errors that are the model's to mend, or to live with. */
function forTheModel({ listed }: NamedTool): readonly ErrorCode[] {
  const ofAll: readonly ErrorCode[] = ['tool_failed', 'tool_denied'];
  return listed === null ? ofAll : [...ofAll, 'outcome_unknown', 'payload_too_large'];
}

/** What is longer would crowd out the conversation, and cost as much at each call after it. */
function readable(bridge: Bridge, text: string): string {
  const { toolResultChars: most } = bridge.limits;
  if (text.length <= most || !bridge.holds('outside-tools')) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}\n[cut here: ${most} of ${text.length} characters]`;
}

function wrongArguments(named: NamedTool, given: JsonValue): string | null {
  try {
    toolArguments(named, given);
    return null;
  } catch (error) {
    if (error instanceof TactusError && error.code === 'tool_failed') return error.message;
    throw error;
  }
}

/** Models drop the name of the toolset that a tool's name begins with; where it is clear which tool is meant, it is called. */
function toolOf({ tools }: TurnRequest, called: string): NamedTool | undefined {
  const [only, ...others] = tools.filter(({ tool }) => tool.name === called);
  return tools.find(({ name }) => name === called) ?? (others.length === 0 ? only : undefined);
}

function errorResult(message: string): string {
  return JSON.stringify({ error: message });
}

/** The JSON that the text is, which must fit the agent's schema where it has one; else the text. */
function readOutput({ agent, isLenient }: TurnRequest, answer: ModelCallResult): JsonValue {
  const { text, isJson } = answer;
  if (agent.output === null) return (isJson === true && !agent.isLowerCase ? jsonAnswer(text) : null) ?? text;
  try {
    return checkValue(agent.output, parseAnswer(answer), {
      code: 'model_call_failed',
      unknown: 'keep',
      requireAll: true,
    });
  } catch (error) {
    if (isLenient && error instanceof TactusError) return text;
    throw error;
  }
}
