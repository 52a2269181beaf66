/** Lists what the files of a folder define, so that a file that is added is there without being named anywhere. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ending = '.ts';
const listName = 'all.generated.ts';

/** The folders with a file for each kind of effect, below the project's. */
export const effectFolders = [join('src', 'contract', 'effects'), join('src', 'workflows', 'effects')];
/** What the definitions are made with. */
const maker = 'define-effect';

export const generatedLists = (root) => effectFolders.map((folder) => join(root, folder, listName));

export function writeEffectLists(root) {
  for (const folder of effectFolders) writeFolderList(join(root, folder));
}

/** Writes `all.generated.ts`: `const definitions`, of what each file exports by its own name in camel case. */
function writeFolderList(folder) {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(ending) && file !== listName)
    .map((file) => file.slice(0, -ending.length))
    .filter((name) => name !== maker)
    .sort();
  const exported = names.map((name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()));
  const lines = names.map((name, i) => `import { ${exported[i]} } from './${name}.js';`);
  const text = `${lines.join('\n')}\n\nexport const definitions = [${exported.join(', ')}] as const;\n`;
  writeFileSync(join(folder, listName), text);
}
