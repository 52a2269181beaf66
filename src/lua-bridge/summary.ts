import { TactusError } from '../contract/errors.js';
import { declaredAgents } from './agents/agent-declaration.js';
import { seenNameOf, type Bridge, type Field, type Fields, type Schema } from './kernel/index.js';
import { strictness } from './determinism/determinism.js';
import { mainOf } from './main/main-procedure.js';
import { modelOf } from './models/model-choice.js';
import { declaredModels } from './models/model-declaration.js';
import { script } from './state/state-store.js';
import { declaredModules } from './signatures/module-declaration.js';
import { tasksOf, type TaskList } from './tasks/task-list.js';
import { declaredTools } from './tools/tool-declaration.js';

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
  /** A `Module` is of the type `module`. */
  models: { name: string | null; type: string }[];
  tools: { name: string | null; description: string; input: Fields }[];
  /** By their full names, `build` and `build:docs`. */
  tasks: { name: string; description: string | null; depends_on: string[] }[];
}

export function summarize(bridge: Bridge): ProcedureSummary {
  const { L } = bridge;
  const { input, output, state } = script.of(bridge);
  const nameOf = (each: { name: string | null }): string | null => each.name ?? seenNameOf(L, each);
  const main = mainOf(bridge);
  const name = main === null ? null : nameOf(main);
  return {
    name: name === 'main' ? null : name,
    description: main?.description ?? null,
    version: main?.version ?? null,
    author: main?.author ?? null,
    tags: main?.tags ?? [],
    strict_determinism: main?.strict ?? strictness.of(bridge).isDeclared,
    input: main === null ? input : main.input,
    output: shown(main === null ? output : main.output),
    state: main === null ? state : main.state,
    agents: declaredAgents.of(bridge).map((agent) => ({
      name: nameOf(agent),
      model: modelOf(bridge, agent.model),
      tools: (agent.tools ?? []).flatMap(({ of }) => {
        if ('named' in of) return of.named;
        return nameOf('tool' in of ? of.tool : of.toolset) ?? [];
      }),
    })),
    models: [
      ...declaredModels.of(bridge).map((model) => ({ name: nameOf(model), type: model.type })),
      ...declaredModules.of(bridge).map((module) => ({ name: nameOf(module), type: 'module' })),
    ],
    tools: declaredTools.of(bridge).map((tool) => ({
      name: nameOf(tool),
      description: tool.description,
      input: tool.input,
    })),
    tasks: Array.from(listed(bridge), ([name, { description, dependsOn }]) => ({
      name,
      description,
      depends_on: dependsOn,
    })),
  };
}

/** None where they can't be told apart: the start says so. */
function listed(bridge: Bridge): TaskList {
  try {
    return tasksOf(bridge);
  } catch (error) {
    if (error instanceof TactusError) return new Map();
    throw error;
  }
}

function shown(schema: Schema | null): Fields | Field | null {
  if (schema === null) return null;
  return schema.kind === 'fields' ? schema.fields : schema.field;
}
