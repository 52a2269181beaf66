import { definitionOf } from '../../src/contract/effects/effects.js';
import {
  language,
  type ClassDefinition,
  type FunctionDefinition,
  type ValueDefinition,
} from '../../src/language/language.generated.js';

interface Topic {
  file: string;
  /** What the file says of itself. */
  title: string;
}

/** The page of the language: all that `types/` declares, by its files, with what a call costs in history. */
export function languagePage(topics: readonly Topic[]): string {
  const parts = topics.map(({ file, title }) => {
    const isHere = ({ place }: { place: { file: string } }): boolean => place.file === file;
    const named = [...Object.values(language.values), ...Object.values(language.functions)]
      .filter(isHere)
      // What a library has from another one is said there.
      .filter((each, i, all) => all.findIndex((other) => other.place.line === each.place.line) === i)
      .sort((a, b) => a.place.line - b.place.line);
    const classes = Object.values(language.classes).filter((each) => isHere(each) && each.fields.length > 0);
    return [`## ${title}`, ...named.map(entryOf), ...classes.map(classOf)].join('\n\n');
  });
  return `${[head, ...parts].join('\n\n')}\n`;
}

const head = `# The language

Made of the declarations in \`types/\`, which editors read too; what differs from Lua and from the reference stands in
[compatibility](compatibility.md). After what a call asks for stands how many events it adds to Temporal's history.`;

function entryOf(found: FunctionDefinition | ValueDefinition): string {
  const isFunction = 'parameters' in found;
  const call = isFunction ? `(${found.parameters.map(parameterOf).join(', ')})` : '';
  const asked = found.effect === null ? null : (definitionOf(found.effect) ?? null);
  const cost = asked === null ? '' : ` *${asked.kind}, ${asked.historyEvents} events*`;
  const gives = isFunction && found.returns.length > 0 ? ` → \`${found.returns.join(', ')}\`` : '';
  return [
    `### \`${found.name}${call}\`${gives}${cost}`,
    ...(found.doc === '' ? [] : [found.doc]),
    ...(isFunction ? described(found.parameters) : []),
    ...(found.example === null ? [] : [`\`\`\`lua\n${found.example}\n\`\`\``]),
  ].join('\n\n');
}

const parameterOf = ({ name, isOptional }: { name: string; isOptional: boolean }): string =>
  isOptional ? `[${name}]` : name;

type Described = { name: string; type: string; isOptional: boolean; doc: string };

function described(list: readonly Described[]): string[] {
  const items = list.map(
    ({ name, type, isOptional, doc }) =>
      `- \`${name}\`${isOptional ? ' (may be left out)' : ''}: \`${type}\`${doc === '' ? '' : `. ${doc}`}`,
  );
  return items.length === 0 ? [] : [items.join('\n')];
}

function classOf({ name, parents, fields, doc }: ClassDefinition): string {
  const more = parents.filter((each) => each !== 'userdata').map((each) => `\`${each}\``);
  return [
    `### \`${name}\``,
    ...(doc === '' ? [] : [doc]),
    ...(more.length === 0 ? [] : [`With the fields of ${more.join(', ')}.`]),
    ...described(fields),
  ].join('\n\n');
}
