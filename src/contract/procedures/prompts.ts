import { TactusError } from '../errors.js';
import { getOwn, isObject, type JsonValue } from '../json/json.js';
import type { ProcedureSource } from './source.js';

/** Texts of prompts by the names that `Prompt` has them under. */
export type Prompts = Record<string, string>;

const mostPrompts = 200;

/** The file beside a procedure that has texts of its prompts, apart from the code: `review.prompts.json` for `review.tac`. */
export function promptsFile(entry: string): string {
  return `${entry.replace(/\.(tac|tactus\.lua|lua)$/, '')}.prompts.json`;
}

/** The texts that a source has apart from its code. @throws TactusError source_invalid */
export function promptsOf({ entry, files }: ProcedureSource): Prompts {
  const file = promptsFile(entry);
  const text = getOwn(files, file);
  return text === undefined ? {} : readPrompts(text, file);
}

/** Reads `{"tone": "Be kind and brief."}`. @throws TactusError source_invalid */
export function readPrompts(text: string, file: string): Prompts {
  let given: JsonValue;
  try {
    given = JSON.parse(text.replace(/^\ufeff/, '')) as JsonValue;
  } catch (error) {
    throw invalid(file, `is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(given)) throw invalid(file, 'must be an object of texts: {"tone": "Be kind and brief."}');
  const entries = Object.entries(given);
  if (entries.length > mostPrompts)
    throw invalid(file, `has ${entries.length} prompts; ${mostPrompts} can be kept`);
  const odd = entries.find(([, each]) => typeof each !== 'string');
  if (odd !== undefined) throw invalid(file, `has ${JSON.stringify(odd[0])}, which is no text`);
  return given as Prompts;
}

/**
 * A source with these texts in place of all that it has apart from its code. What they don't name has the text of the code.
 * @throws TactusError source_invalid where no file of the source has such a prompt
 */
export function withPrompts(source: ProcedureSource, prompts: Prompts): ProcedureSource {
  const { entry, files } = source;
  const file = promptsFile(entry);
  const changed = { entry, files: { ...files, [file]: JSON.stringify(prompts, null, 2) } };
  assertPromptsAsked(changed);
  return changed;
}

/** @throws TactusError source_invalid where it has texts for prompts that none of its files asks for, or no texts at all */
export function assertPromptsAsked(source: ProcedureSource): void {
  const names = Object.keys(promptsOf(source));
  const asked = names.length === 0 ? [] : namesIn(source);
  const unknown = asked === null ? undefined : names.find((name) => !asked.includes(name));
  if (unknown !== undefined)
    throw invalid(
      promptsFile(source.entry),
      `has the prompt ${JSON.stringify(unknown)}, and ${source.entry} and its files have no Prompt(${JSON.stringify(unknown)}, …)`,
    );
}

const literalCall = /\b(?:Prompt|prompt)\s*\(?\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)')/g;
const otherCall = /\b(?:Prompt|prompt)\s*\(\s*[^\s"')]/;
const ofOlderDialect = /\b(return|error|status)_prompt\b/g;

/** Names that prompts are asked for by; null: one is made of something else. */
function namesIn({ files }: ProcedureSource): string[] | null {
  const texts = Object.entries(files).flatMap(([file, text]) => (file.endsWith('.json') ? [] : [text]));
  if (texts.some((text) => otherCall.test(text))) return null;
  return texts.flatMap((text) => [
    ...[...text.matchAll(literalCall)].map(([, double, single = '']) => double ?? single),
    ...[...text.matchAll(ofOlderDialect)].map(([, name = '']) => name),
  ]);
}

function invalid(file: string, problem: string): TactusError {
  return new TactusError('source_invalid', `${file} ${problem}`, { file });
}
