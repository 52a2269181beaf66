import { AstBuilder, compile, Errors, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import { IdGenerator, type GherkinDocument, type Pickle } from '@cucumber/messages';

/** Where a text is no Gherkin. Lines and columns count from 1, within the text. */
export interface GherkinProblem {
  line: number;
  column: number;
  message: string;
  suggestion: string | null;
}

export type ReadGherkin =
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
