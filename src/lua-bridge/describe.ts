import {
  seenNameOf,
  type Bridge,
  type Field,
  type Fields,
  type FieldType,
  type Schema,
} from './kernel/index.js';
import { declaredAgents } from './agents/agent-declaration.js';
import { mainOf } from './main/main-procedure.js';
import { modelOf, modelsOf } from './models/model-choice.js';
import { declaredModels } from './models/model-declaration.js';
import { script } from './state/state-store.js';
import { declaredModules, modelOfModule } from './signatures/module-declaration.js';
import type { JsonObject } from '../contract/json/json.js';
import { madeUp } from './mocks/mocks.js';
import type { ProcedureDeclaration } from './procedures/procedure-declaration.js';
import {
  declaredEvaluations,
  declaredSpecifications,
  declaredSteps,
  type SpecificationDeclaration,
} from './specifications/specifications.js';
import { TactusError } from '../contract/errors.js';
import { strictness } from './determinism/determinism.js';
import { tasksOf, type TaskList } from './tasks/task-list.js';
import { declaredTools } from './tools/tool-declaration.js';

/** Types of the fields that a procedure takes, by name. */
type DeclaredInput = Record<string, FieldType>;

export interface Description {
  /** null where nothing is declared: then anything is taken. */
  input: DeclaredInput | null;
  /** Language models that are asked, as they are named; null stands for the default. */
  models: (string | null)[];
}

/** What a file has declared so far, for those who start it. */
export function describe(bridge: Bridge): Description {
  const asked = [
    ...declaredAgents.of(bridge).map(({ model }) => model),
    ...declaredModels.of(bridge).flatMap(({ source }) => (source.kind === 'llm' ? source.llm.choice : [])),
    ...declaredModules.of(bridge).map((module) => modelOfModule(bridge, module).choice),
  ];
  return {
    input: inputTypes(bridge),
    models: asked.flatMap((choice) => modelsOf(bridge, choice)),
  };
}

function inputTypes(bridge: Bridge): DeclaredInput | null {
  const fields = mainOf(bridge)?.input ?? script.of(bridge).input;
  if (fields === null) return null;
  return Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]));
}

/** What a file declares for its tests. */
export interface DeclaredTests {
  specifications: readonly SpecificationDeclaration[];
  /** Steps of the file's own, in the order of their index. */
  steps: { pattern: string; line: number | null }[];
  evaluations: readonly JsonObject[];
  /** As in `Description`. */
  input: DeclaredInput | null;
  /** Input that a script would run with. */
  scriptInput: JsonObject;
  /** What scenarios are given of the required input, where none of their steps says anything else. */
  standIns: JsonObject;
}

export function describeTests(bridge: Bridge): DeclaredTests {
  return {
    specifications: declaredSpecifications.of(bridge),
    steps: declaredSteps.of(bridge).map(({ pattern, line }) => ({ pattern, line })),
    evaluations: declaredEvaluations.of(bridge),
    input: inputTypes(bridge),
    scriptInput: madeUp(requiredOf(script.of(bridge).input ?? {}), testText),
    standIns: standInsFor(mainOf(bridge)),
  };
}

/** Scenarios of the older dialect may leave out what is required: it ran them without. */
function standInsFor(main: ProcedureDeclaration | null): JsonObject {
  return madeUp(requiredOf(main?.ownState === true ? main.input : {}), testText);
}

function requiredOf(fields: Fields): Fields {
  const left = Object.entries(fields).filter(
    ([, { required, default: value }]) => required && value === undefined,
  );
  return Object.fromEntries(left);
}

function testText(name: string): string {
  return `test ${name}`;
}

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
    output: describedFields(main === null ? output : main.output),
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

function describedFields(schema: Schema | null): Fields | Field | null {
  if (schema === null) return null;
  return schema.kind === 'fields' ? schema.fields : schema.field;
}
