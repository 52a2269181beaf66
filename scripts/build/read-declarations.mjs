/** Reads the declarations of the language: annotated Lua, as the Lua language server reads it. */

/**
 * @typedef {{ name: string, type: string, isOptional: boolean, doc: string }} Parameter
 */

/** Reads one file of `types/`. `file` is named in places and errors. */
export function readDeclarations(file, text) {
  const found = { functions: [], values: [], classes: [], aliases: [] };
  let block = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('---')) {
      block.push(line.slice(3));
      continue;
    }
    const place = { file, line: index + 1 };
    if (line !== '' || block.length > 0) add(found, block, line, place);
    block = [];
  }
  if (block.length > 0) add(found, block, '', { file, line: text.split('\n').length });
  return found;
}

function add(found, block, line, place) {
  const tags = readTags(block);
  const className = tags.class?.[0];
  if (className !== undefined) found.classes.push({ ...readClass(className, tags), place });
  const [, alias, type = ''] = /^([\w.]+)(?: (.+))?$/.exec(tags.alias?.[0] ?? '') ?? [];
  if (alias !== undefined)
    found.aliases.push({ name: alias, type: [type, ...tags.choices].filter(Boolean).join('|') });
  const declared = /^function ([\w.]+)\((.*)\) end$/.exec(line);
  if (declared !== null) {
    found.functions.push(readFunction(declared[1], declared[2], tags, place));
    return;
  }
  const value = /^([\w.]+) = /.exec(line)?.[1];
  if (value === undefined) return;
  const isOf = /^([\w.]+)/.exec(className ?? '')?.[1] ?? typeIn(tags.type?.[0] ?? 'any');
  found.values.push({ name: value, type: isOf, effect: tags.effect?.[0] ?? null, ...words(tags), place });
}

/** `@param x …` and its like, by their names, and the words before them. */
function readTags(block) {
  const tags = { words: [], example: [], choices: [], fields: [] };
  let isExample = false;
  for (const line of block) {
    if (line === '```lua' || line === '```') isExample = line === '```lua';
    else if (isExample) tags.example.push(line);
    else if (line.startsWith('| ')) tags.choices.push(typeIn(line.slice(2)));
    else {
      const [, tag, rest = ''] = /^@(\w+) ?(.*)$/.exec(line) ?? [];
      if (tag === undefined) tags.words.push(line.trim());
      else (tags[tag] ??= []).push(rest);
    }
  }
  return tags;
}

const words = (tags) => ({
  doc: tags.words.join(' ').trim(),
  example: tags.example.length === 0 ? null : tags.example.join('\n'),
});

function readClass(text, tags) {
  const [, name, parents = ''] = /^([\w.]+)(?:: (.+))?$/.exec(text) ?? [];
  const fields = (tags.field ?? []).map(named);
  return {
    name,
    parents: parents.split(', ').filter(Boolean),
    fields: fields.filter(({ name: field }) => !field.startsWith('[')),
    isOpen: fields.some(({ name: field }) => /^\[(string|string\|integer)\]$/.test(field)),
    overloads: tags.overload ?? [],
    isLenient: tags.lenient !== undefined,
    needs: (tags.needs ?? []).map((group) => group.split('|')),
    doc: words(tags).doc,
  };
}

function readFunction(name, list, tags, place) {
  const described = new Map((tags.param ?? []).map(named).map((each) => [each.name, each]));
  return {
    name,
    parameters: list
      .split(', ')
      .filter(Boolean)
      .map((each) => described.get(each) ?? undescribed(each, name, place)),
    returns: (tags.return ?? []).map((each) => typeIn(each)),
    generics: (tags.generic ?? []).flatMap((each) => each.split(', ').map((one) => one.split(':')[0])),
    overloads: tags.overload ?? [],
    effect: tags.effect?.[0] ?? null,
    isLenient: tags.lenient !== undefined,
    isDeprecated: tags.deprecated !== undefined,
    ...words(tags),
    place,
  };
}

function undescribed(name, owner, { file, line }) {
  throw new Error(`types/${file}:${line}: ${owner} has a parameter ${name} without ---@param`);
}

/** `name? TYPE words`, of a parameter or a field. */
function named(text) {
  const [, name = '', mark, rest = ''] = /^(\[[^\]]+\]|[\w]+|\.\.\.)(\??) (.+)$/.exec(text) ?? [];
  const type = typeIn(rest);
  return { name, type, isOptional: mark === '?', doc: rest.slice(type.length).trim() };
}

/**
 * The type at the beginning of a text: what follows are words about it.
 * @param {string} text
 * @returns {string}
 */
export function typeIn(text) {
  let depth = 0;
  let quote = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '"') quote = !quote;
    if (quote) continue;
    if ('(<{['.includes(letter)) depth++;
    if (')>}]'.includes(letter)) depth--;
    // `fun(): T` goes on after its colon.
    if (letter === ' ' && depth === 0 && !/[:|,]$/.test(text.slice(0, at))) return text.slice(0, at);
  }
  return text;
}
