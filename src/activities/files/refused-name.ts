/** What a name is, where no procedure may use it, with the reason. Names are lower case, without what systems leave out. */
const refusals: readonly (readonly [(name: string) => boolean, string])[] = [
  // Whoever writes these decides what the next start does.
  [matches(/\.(tac|lua)$/), 'it is a source of procedures'],
  [matches(/\.(tac|lua)\.ya?ml$/), 'it configures a procedure'],
  [matches(/^tactus\.ya?ml$/), 'it is a file of configuration'],
  [matches(/^(?=.{1,8}(\.|$))[^.]+~\d+(\.[^.]{0,3})?$/), 'it has a short name of Windows in it'], // `GIT~1` is `.git`
  // Whoever reads these can sign and log in as their owner.
  [
    matches(/\.(pem|key|p8|p12|pfx|jks|keystore|ppk|kdbx|gpg)$|^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/),
    'it is a file of keys',
  ],
  // Whoever writes these decides what other programs run: an interpreter, a package manager, a build, a shell.
  [(name) => name === 'node_modules', 'it is a folder of packages'],
  [
    matches(
      /\.lock$|^(.*-lock|npm-shrinkwrap|package|deno|composer|[jt]sconfig(\..*)?)\.jsonc?$|\.lockb$|^go\.(mod|sum|work)$/,
    ),
    'it is a file of a package manager',
  ],
  [
    matches(
      /^(pnpm-(lock|workspace)\.ya?ml|(pyproject|cargo|poetry|uv)\.toml|setup\.cfg|pipfile|gemfile|requirements\.txt)$/,
    ),
    'it is a file of a package manager',
  ],
  [matches(/\.([cm]?[jt]sx?|py[cdowx]?|pth|rb|p[lm]|php\d?|wasm|jar|class)$/), 'it is a program'],
  [
    matches(/\.((ba|z|fi|k|c)?sh|ps[dm]?1|bat|cmd|com|exe|msi|scr|vb[es]?|ws[fh]|hta|lnk|reg|desktop)$/),
    'it is a program',
  ],
  [matches(/\.(node|dll|dylib|so(\.\d+)*)$/), 'it is a program'],
  [
    matches(
      /^((gnu)?make|docker|container|proc|just|vagrant|rake|jenkins)file(\..*)?$|^(docker-)?(compose|taskfile)(\..*)?\.ya?ml$/,
    ),
    'it says what other programs run',
  ],
];

/** The machine's and the person's configuration, wherever the folder of files is. */
const configuration = /(^|\/)tactus\/config\.ya?ml$/;
const home = /^~($|[^/\\]*[/\\])/;

function matches(pattern: RegExp): (name: string) => boolean {
  return (name) => pattern.test(name);
}

/**
 * Why no procedure may use a path, by its names alone; null where it may. A path is read as loosely as any file system,
 * or program that gets to see it, might: what is refused is refused in every spelling.
 */
export function refusedName(path: string): string | null {
  if (home.test(path)) return 'it begins with ~, which stands for a folder elsewhere';
  for (const reading of [path, decoded(path)]) {
    const names = namesOf(reading);
    if (names.some((name) => name.startsWith('.'))) return 'a name in it begins with a dot';
    for (const name of names.map(withoutEnd)) {
      const found = refusals.find(([isRefused]) => isRefused(name));
      if (found !== undefined) return found[1];
    }
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
