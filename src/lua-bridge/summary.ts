import { TactusError } from '../contract/errors.js';
import type { ProcedureSource } from '../contract/source.js';
import { modelOf } from './agent-settings.js';
import type { Declarations } from './declarations.js';
import { mainOf } from './describe.js';
import { seenNameOf } from './handle.js';
import type { ModelDeclaration } from './primitives/model.js';
import type { Field, Fields, Schema } from './schema.js';
import { tasksOf, type TaskList } from './task-list.js';
import type { LuaState } from './vm/fengari.js';

/** What a file says of itself, for people and tools. */
export interface ProcedureSummary {
  /** null where it has none but main. */
  name: string | null;
  description: string | null;
  version: string | null;
  author: string | null;
  tags: string[];
  /** Whether the file says `strict_determinism`. */
  strict_determinism: boolean;
  /** null where nothing is declared. */
  input: Fields | null;
  output: Fields | Field | null;
  state: Fields | null;
  /** `model` is null where the default is used. */
  agents: { name: string | null; model: string | null; tools: string[] }[];
  models: { name: string | null; type: string }[];
  tools: { name: string | null; description: string; input: Fields }[];
  /** By their full names, `build` and `build:docs`. */
  tasks: { name: string; description: string | null; depends_on: string[] }[];
}

export function summarize(L: LuaState, source: ProcedureSource, declared: Declarations): ProcedureSummary {
  const { agents, models, tools, script, defaults, configured, strict } = declared;
  const nameOf = (each: { name: string | null }): string | null => each.name ?? seenNameOf(L, each);
  const main = mainOf(declared);
  const name = main === null ? null : nameOf(main);
  return {
    name: name === 'main' ? null : name,
    description: main?.description ?? null,
    version: main?.version ?? null,
    author: main?.author ?? null,
    tags: main?.tags ?? [],
    strict_determinism: main?.strict ?? strict,
    input: main === null ? script.input : main.input,
    output: shown(main === null ? script.output : main.output),
    state: main === null ? script.state : main.state,
    agents: agents.map((agent) => ({
      name: nameOf(agent),
      model: modelOf(agent.model, { defaults, configured }),
      tools: (agent.tools ?? []).flatMap(({ of }) => {
        if ('named' in of) return of.named;
        return nameOf('tool' in of ? of.tool : of.toolset) ?? [];
      }),
    })),
    models: (models as ModelDeclaration[]).map((model) => ({
      name: nameOf(model),
      type: model.type,
    })),
    tools: tools.map((tool) => ({
      name: nameOf(tool),
      description: tool.description,
      input: tool.input,
    })),
    tasks: Array.from(listed(L, source, declared), ([name, { description, dependsOn }]) => ({
      name,
      description,
      depends_on: dependsOn,
    })),
  };
}

/** None where they can't be told apart: the start says so. */
function listed(L: LuaState, source: ProcedureSource, declared: Declarations): TaskList {
  try {
    return tasksOf({ L, source, declared });
  } catch (error) {
    if (error instanceof TactusError) return new Map();
    throw error;
  }
}

function shown(schema: Schema | null): Fields | Field | null {
  if (schema === null) return null;
  return schema.kind === 'fields' ? schema.fields : schema.field;
}
