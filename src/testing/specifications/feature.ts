import { AstBuilder, compile, Errors, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import { IdGenerator, type GherkinDocument, type Pickle } from '@cucumber/messages';
import { TactusError } from '../../contract/errors.js';

/** A scenario with its background's steps and its outline's values filled in. */
export interface Scenario {
  feature: string;
  name: string;
  /** With the `@`. */
  tags: string[];
  steps: string[];
}

/**
 * Reads Gherkin.
 * @throws TactusError source_invalid with the line in the file that holds it; `line` is that of its first one
 */
export function readFeature(text: string, file: string, line: number): Scenario[] {
  const read = readGherkin(text, file);
  if ('problems' in read) {
    const [problem] = read.problems;
    const place = line + (problem?.line ?? 1) - 1;
    const advice = problem?.suggestion == null ? '' : `; ${problem.suggestion}`;
    throw new TactusError(
      'source_invalid',
      `${file}:${place}: this is no Gherkin: ${problem?.message ?? ''}${advice}`,
      { file, line: place },
    );
  }
  const feature = read.document.feature?.name ?? '';
  return read.pickles.map(({ name, tags, steps }) => ({
    feature,
    name,
    tags: tags.map((tag) => tag.name),
    steps: steps.map((step) => step.text),
  }));
}

/** Where a text is no Gherkin. Lines and columns count from 1, within the text. */
interface GherkinProblem {
  line: number;
  column: number;
  message: string;
  suggestion: string | null;
}

type ReadGherkin =
  { document: GherkinDocument; pickles: readonly Pickle[] } | { problems: readonly GherkinProblem[] };

/** Reads Gherkin: what is written, and the scenarios with backgrounds and outlines filled in. */
export function readGherkin(text: string, file: string): ReadGherkin {
  const newId = IdGenerator.incrementing();
  try {
    const document = new Parser(new AstBuilder(newId), new GherkinClassicTokenMatcher()).parse(text);
    return { document, pickles: compile(document, file, newId) };
  } catch (error) {
    if (!(error instanceof Errors.GherkinException)) throw error;
    const all = (error.errors as Error[] | undefined) ?? [error];
    return {
      problems: all.map((each) =>
        each instanceof Errors.GherkinException ? toProblem(each) : toProblem(error),
      ),
    };
  }
}

function toProblem({ message, location }: Errors.GherkinException): GherkinProblem {
  const { line = 1, column = 1 } = (location as GherkinProblem | undefined) ?? {};
  const plain = message.replace(/^\(\d+:\d+\): /, '');
  const unexpected = /^expected: (.*), got '(.*)'$/s.exec(plain);
  const expected = unexpected?.[1] ?? /^unexpected end of file, expected: (.*)$/.exec(plain)?.[1] ?? null;
  const told = unexpected === null ? plain : `"${unexpected[2] ?? ''}" can't stand here`;
  return { line, column, message: told, suggestion: expected === null ? null : adviceFor(expected) };
}

/** What to write, by the first of these that could stand there. */
const advice: readonly [string, string][] = [
  ['#StepLine', 'begin each step with Given, When, Then, And or But'],
  ['#ScenarioLine', 'write Scenario: NAME before its steps'],
  ['#FeatureLine', 'begin with Feature: NAME'],
  ['#DocStringSeparator', 'close the text with """'],
  ['#TableRow', 'begin and end each row of the table with |'],
];

function adviceFor(expected: string): string | null {
  return advice.find(([token]) => expected.includes(token))?.[1] ?? null;
}

export interface ScenarioChoice {
  /** Part of the scenario's name; left out: any. */
  scenario?: string;
  /** One of these tags, with or without the `@`; left out or empty: any. */
  tags?: readonly string[];
}

/** The scenarios that a choice fits, in their order. */
export function chooseScenarios(
  scenarios: readonly Scenario[],
  { scenario, tags = [] }: ScenarioChoice,
): Scenario[] {
  const wanted = tags.map((tag) => (tag.startsWith('@') ? tag : `@${tag}`));
  return scenarios.filter(
    (each) =>
      (scenario === undefined || each.name.includes(scenario)) &&
      (wanted.length === 0 || wanted.some((tag) => each.tags.includes(tag))),
  );
}
