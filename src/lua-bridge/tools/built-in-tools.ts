import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/index.js';
import { declaredTools, newTool, type ToolDeclaration } from './tool-declaration.js';
import { skillText } from './skills.js';
import { logLevels, progress } from '../progress/progress.js';

type Definition = Pick<ToolDeclaration, 'description' | 'input'> & {
  answer: (bridge: Bridge, args: JsonValue) => JsonValue;
};

/** By which an agent reads one of its skills. */
export const readSkill = 'read_skill';

/** Tools that are there without being declared. */
const definitions: Record<string, Definition> = {
  [readSkill]: {
    description: 'Read the instructions of a skill, by its name.',
    input: { name: { type: 'string', required: true, description: 'The name of the skill' } },
    answer: (bridge, args) => {
      const name = isObject(args) ? args['name'] : null;
      const text = typeof name === 'string' ? skillText(bridge.run.source, name) : null;
      if (text === null) throw new TactusError('tool_failed', `there is no skill ${JSON.stringify(name)}`);
      return text;
    },
  },
  /** By which an agent says that it has finished. */
  done: {
    description: 'Say that the task is done, with the reason or the final result.',
    input: {
      reason: { type: 'string', required: false, description: 'Why the task is done, or its result' },
      success: { type: 'boolean', required: false, description: 'Whether it succeeded' },
    },
    answer: (bridge, args) => {
      const reason = isObject(args) ? (args['reason'] ?? null) : null;
      const success = !isObject(args) || args['success'] !== false;
      progress.of(bridge).stop ??= { reason, success };
      return { status: 'completed', reason: reason ?? 'Task completed', tool: 'done' };
    },
  },
  log: {
    description: 'Write a line into the log of the procedure.',
    input: {
      message: { type: 'string', required: true, description: 'What to write' },
      level: { type: 'string', required: false, description: 'debug, info, warn or error' },
      data: { type: 'object', required: false, description: 'More that belongs to it' },
    },
    answer: (bridge, args) => {
      const { message, level: given, data } = isObject(args) ? args : {};
      const level = typeof given === 'string' && Object.hasOwn(logLevels, given) ? given : 'info';
      bridge.show({
        kind: 'log',
        level: logLevels[level] ?? 'info',
        message: typeof message === 'string' ? message : '',
        context: data ?? null,
      });
      return { logged: true, level, message: message ?? null };
    },
  },
};

export function isBuiltIn(name: string): boolean {
  return Object.hasOwn(definitions, name);
}

/** The built-in tool of this name, declared when it is first asked for; null where there is none. */
export function builtInTool(bridge: Bridge, name: string): ToolDeclaration | null {
  const definition = getOwn(definitions, name);
  if (definition === undefined) return null;
  const known = declaredTools.of(bridge).find((each) => each.answer !== null && each.name === name);
  if (known !== undefined) return known;
  const { description, input, answer } = definition;
  const tool = newTool(name, { description, input, answer: (args) => answer(bridge, args) });
  declaredTools.add(bridge, tool);
  return tool;
}
