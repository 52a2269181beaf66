/** Makes a module of the declarations in `types/`, for all that describes the language or checks what is written in it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeclarations } from './read-declarations.mjs';

/** @param {string} root the project's folder */
export function buildLanguage(root) {
  writeFileSync(join(root, 'src', 'language', 'language.generated.js'), languageModule(root));
}

/**
 * The text of the module.
 * @param {string} root the project's folder
 */
export function languageModule(root) {
  const folder = join(root, 'types');
  const files = readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    // What `require` gives has files of its own: it is no part of the globals.
    .filter((name) => name.endsWith('.lua') && !name.startsWith('tactus/'))
    .sort();
  const found = files.map((name) => readDeclarations(name, readFileSync(join(folder, name), 'utf8')));
  const classes = found.flatMap((each) => each.classes);
  const values = found.flatMap((each) => each.values);
  const functions = inherited(
    found.flatMap((each) => each.functions),
    values,
    classes,
  );
  const language = {
    functions: byName(functions),
    values: byName(values),
    classes: byName(classes),
    aliases: Object.fromEntries(found.flatMap((each) => each.aliases).map(({ name, type }) => [name, type])),
  };
  return `export const language = ${JSON.stringify(language)};\n`;
}

/** A library whose class is derived from that of another has its functions. */
function inherited(functions, values, classes) {
  const parentsOf = new Map(classes.map(({ name, parents }) => [name, parents]));
  return functions.concat(
    values.flatMap(({ name, type }) =>
      values
        .filter((other) => (parentsOf.get(type) ?? []).includes(other.type))
        .flatMap((other) =>
          functions
            .filter((each) => each.name.startsWith(`${other.name}.`))
            .map((each) => ({ ...each, name: name + each.name.slice(other.name.length) })),
        ),
    ),
  );
}

function byName(list) {
  const names = list.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`types/ declares ${twice} twice`);
  return Object.fromEntries(list.map((each) => [each.name, each]));
}
