/** Sources of procedures, and what configures one of them: whoever writes these decides what the next start does. */
const source = /\.(tac|lua)$/;
const besideSource = /\.(tac|lua)\.ya?ml$/;
/** The machine's and the person's configuration, wherever the folder of files is. */
const configuration = /(^|\/)tactus\/config\.ya?ml$/;
/** `GIT~1`: the name of eight letters that Windows has for `.git`. */
const shortName = /^(?=.{1,8}(\.|$))[^.]+~\d+(\.[^.]{0,3})?$/;
const home = /^~($|[^/\\]*[/\\])/;

/**
 * Why no procedure may use a path, by its names alone; null where it may. A path is read as loosely as any file system,
 * or program that gets to see it, might: what is refused is refused in every spelling.
 */
export function refusedName(path: string): string | null {
  if (home.test(path)) return 'it begins with ~, which stands for a folder elsewhere';
  for (const reading of [path, decoded(path)]) {
    const names = namesOf(reading);
    if (names.some((name) => name.startsWith('.'))) return 'a name in it begins with a dot';
    const plain = names.map(withoutEnd);
    if (plain.some((name) => source.test(name))) return 'it is a source of procedures';
    if (plain.some((name) => besideSource.test(name))) return 'it configures a procedure';
    if (plain.some((name) => shortName.test(name))) return 'it has a short name of Windows in it';
  }
  return null;
}

/** Whether the configuration of a machine or a person may be looked for there; told by the whole path. */
export function isConfiguration(path: string): boolean {
  return configuration.test(namesOf(path).map(withoutEnd).join('/'));
}

/** Names of a path, with letters that look or count alike as one, and without the `.` that stands for the same folder. */
function namesOf(path: string): string[] {
  return path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split(/[/\\]/)
    .map((name) => name.trimStart())
    .filter((name) => name !== '.' && name !== '');
}

/** Windows leaves out dots and spaces at the end, and takes what follows a colon for a part of the same file. */
export function withoutEnd(name: string): string {
  return name.replace(/:.*$/s, '').replace(/[.\s]+$/, '');
}

function decoded(path: string): string {
  return path.replace(/(%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}
