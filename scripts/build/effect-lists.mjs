/** Lists what files of one ending define, so that a file that is added is there without being named anywhere. */
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

const ending = '-effect.ts';
const listName = 'all.generated.ts';

/** Rooms with a file for each kind of effect, in the folder of what it is for: `contract/events/event-effect.ts`. */
export const effectRooms = [join('src', 'contract'), join('src', 'workflows')];
/** What all kinds share, and their list. */
const shared = 'effects';

/** Whether a file defines a kind of effect. @param {string} file */
export const isEffect = (file) => file.endsWith(ending) && basename(dirname(file)) !== shared;

export const generatedLists = (root) => effectRooms.map((room) => join(root, room, shared, listName));

export function writeEffectLists(root) {
  for (const room of effectRooms) writeList(join(root, room));
}

/** Writes `all.generated.ts`: `const definitions`, of what each file exports by its own name in camel case. */
function writeList(room) {
  const folder = join(room, shared);
  const found = readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter(isEffect)
    .map((file) => {
      const name = basename(file).slice(0, -ending.length);
      const exported = name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
      const module = relative(folder, join(room, file)).replace(/\.ts$/, '.js').split(sep).join('/');
      return { name, exported, module: module.startsWith('.') ? module : `./${module}` };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const lines = found.map(({ exported, module }) => `import { ${exported} } from '${module}';`);
  const all = found.map(({ exported }) => exported).join(', ');
  writeFileSync(
    join(folder, listName),
    `${lines.join('\n')}\n\nexport const definitions = [${all}] as const;\n`,
  );
}
