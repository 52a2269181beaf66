import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/index.js';
import { declaredTools, newTool, type ToolDeclaration } from './tool-declaration.js';
import { logLevels, progress } from '../progress/progress.js';
import { digestOf } from '../../contract/effects/digest.js';
import { isSkillFile, skillFiles, type ProcedureSource } from '../../contract/procedures/source.js';

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
  declaredTools.add(bridge, tool, true);
  return tool;
}

/** Instructions that an agent may go by, as a file `SKILL.md` has them: https://agentskills.io. */
export interface Skill {
  name: string;
  description: string;
  /** Path of the file, as it travels with the run. */
  path: string;
  body: string;
}

/** Skills in these folders and files, in the order of their paths. They travel with the source of the run. */
export function skillsIn(source: ProcedureSource, places: readonly string[]): Skill[] {
  const paths = [...new Set(places.flatMap((place) => skillFiles(source, place)))];
  return paths.map((path) => skillAt(source, path));
}

/** What a skill of the run says; null where there is none of the name. */
function skillText(source: ProcedureSource, name: string): string | null {
  const skills = Object.keys(source.files)
    .filter(isSkillFile)
    .sort()
    .map((path) => skillAt(source, path));
  return skills.find((skill) => skill.name === name)?.body ?? null;
}

function skillAt({ files }: ProcedureSource, path: string): Skill {
  const { fields, body } = readFrontmatter(files[path] ?? '');
  const folder = path.split('/').at(-2) ?? path;
  return { name: fields['name'] ?? folder, description: fields['description'] ?? '', path, body };
}

/** What stands of them in a system prompt; `isFull`: with all that they say. */
export function skillsManifest(skills: readonly Skill[], isFull: boolean): string | null {
  if (skills.length === 0) return null;
  const entries = skills.flatMap(({ name, description, path, body }) => [
    '  <skill>',
    `    <name>${name}</name>`,
    `    <description>${description}</description>`,
    `    <path>${path}</path>`,
    ...(isFull && body !== ''
      ? ['    <instructions>', ...body.split('\n').map((line) => `      ${line}`), '    </instructions>']
      : []),
    '  </skill>',
  ]);
  const how = isFull ? [] : ['  Before you do what a skill is about, call read_skill with its name.'];
  return ['<available_skills>', ...how, ...entries, '</available_skills>'].join('\n');
}

/** Digests of what they say, by name, for the log. */
export function skillDigests(skills: readonly Skill[]): JsonObject {
  return Object.fromEntries(
    skills.map(({ name, description, body }) => [name, digestOf([name, description, body]).slice(0, 12)]),
  );
}

/** What stands between two lines `---` at the beginning of a text, and what follows. */
interface Frontmatter {
  fields: Partial<Record<string, string>>;
  body: string;
}

/**
 * Reads the texts at the top level of a frontmatter: plain, quoted, folded (`>`) and literal (`|`). That is all that skills have
 * there which matters, and less than YAML, which is too large for a workflow.
 */
export function readFrontmatter(text: string): Frontmatter {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const end = lines[0]?.trim() === '---' ? lines.findIndex((line, i) => i > 0 && line.trim() === '---') : -1;
  if (end < 0) return { fields: {}, body: text.trim() };
  const fields: Partial<Record<string, string>> = {};
  for (let i = 1; i < end; i++) {
    const [, name, rest = ''] = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(lines[i] ?? '') ?? [];
    if (name === undefined) continue;
    const block: string[] = [];
    while (i + 1 < end && /^(\s+\S|\s*$)/.test(lines[i + 1] ?? '')) block.push((lines[++i] ?? '').trim());
    Object.defineProperty(fields, name, { value: valueOf(rest.trim(), block), enumerable: true });
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function valueOf(text: string, block: readonly string[]): string {
  if (/^[>|][+-]?$/.test(text)) return block.join(text.startsWith('|') ? '\n' : ' ').trim();
  const whole = [text, ...block].join(' ').trim();
  const [, double] = /^"(.*)"$/s.exec(whole) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\])/g, '$1');
  const [, single] = /^'(.*)'$/s.exec(whole) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  return whole.replace(/\s+#.*$/, '');
}
