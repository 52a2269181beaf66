import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { rollup } from 'rollup';
import { findEntries, moduleOf } from './modules.mjs';
import { planChunks } from './plan-chunks.mjs';

/** Of files that modules share. There are more where joining any two would have a command load a package that it doesn't need. */
const mostChunks = 100;
/** Types of statements that do nothing by themselves. */
const declares = /^(Import|Export)|Declaration$/;
/** Says of each file which modules are in it; for tests, and not packed. */
const modulesFile = '.modules.json';

/**
 * Bundles the compiled files for the package. Files that are used by their paths (entries, threads, what bundlers are given) keep
 * these paths, and what they share lies in `chunks`. Source maps are written beside, and not packed.
 * @param {string} dist folder of the compiled files
 * @param {string} out
 */
export async function bundleModules(dist, out) {
  /** @type {Map<string, string>} */
  const chunkOf = new Map();
  const bundle = await rollup({
    input: [],
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    // Nothing is imported from a package for its side effects alone.
    treeshake: { moduleSideEffects: 'no-external' },
    plugins: [compiledFiles(dist), plan(dist, chunkOf), keepsPlaces(dist)],
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(`The package can't be bundled: ${message}`);
    },
  });
  const { output } = await bundle.write({
    dir: out,
    format: 'es',
    chunkFileNames: 'chunks/[name].js',
    manualChunks: (id) => chunkOf.get(id),
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    sourcemap: 'hidden',
  });
  await bundle.close();
  const modules = output.flatMap((file) =>
    file.type === 'chunk' ? [[file.fileName, rendered(file.modules).map((id) => pathIn(dist, id))]] : [],
  );
  await writeFile(join(out, modulesFile), JSON.stringify(Object.fromEntries(modules), null, 2));
}

/**
 * Reads compiled files with their source maps.
 * @param {string} dist
 * @returns {import('rollup').Plugin}
 */
function compiledFiles(dist) {
  return {
    name: 'compiled-files',
    async load(id) {
      if (!id.startsWith(dist)) return null;
      const [code, map] = await Promise.all([
        readFile(id, 'utf8'),
        readFile(`${id}.map`, 'utf8').catch(() => null),
      ]);
      return { code: code.replace(/^\/\/# sourceMappingURL=.*\n?$/m, ''), map };
    },
  };
}

/**
 * Looks at all modules before anything is bundled: which are entries, and which share a file.
 * @param {string} dist
 * @param {Map<string, string>} chunkOf is filled: the chunk of each module
 * @returns {import('rollup').Plugin}
 */
function plan(dist, chunkOf) {
  return {
    name: 'plan',
    async buildStart() {
      const files = (await readdir(dist, { recursive: true })).filter(isModule);
      const infos = await Promise.all(
        files.map((file) => this.load({ id: join(dist, file), resolveDependencies: true })),
      );
      const isOwn = (/** @type {string} */ id) => isAbsolute(id);
      const own = (/** @type {readonly string[]} */ ids) =>
        ids.filter(isOwn).map((each) => pathIn(dist, each));
      const modules = new Map(
        infos.map(({ id, code, ast, importedIds, dynamicallyImportedIds }) => {
          const path = pathIn(dist, id);
          const packages = importedIds.filter((each) => !isOwn(each));
          const acts = ast?.body.some(({ type }) => !declares.test(type)) ?? false;
          const found = { imports: own(importedIds), loads: own(dynamicallyImportedIds), packages, acts };
          return [path, moduleOf(path, code ?? '', found)];
        }),
      );
      const entries = findEntries(modules);
      for (const path of entries) this.emitFile({ type: 'chunk', id: join(dist, path), fileName: path });
      for (const chunk of planChunks(modules, entries, mostChunks)) {
        const [largest = ''] = chunk.toSorted((a, b) => sizeOf(modules, b) - sizeOf(modules, a));
        const name = largest.replace(/(\.generated)?\.js$/, '').replaceAll('/', '-');
        for (const path of chunk) chunkOf.set(join(dist, path), name);
      }
    },
  };
}

/**
 * Has modules find what lies beside them where it is in the folder of the compiled files.
 * @param {string} dist
 * @returns {import('rollup').Plugin}
 */
function keepsPlaces(dist) {
  return {
    name: 'keeps-places',
    resolveImportMeta(property, { chunkId, moduleId }) {
      if (property !== 'url') throw new Error(`import.meta.${property} of ${moduleId} can't be bundled`);
      const place = relative(dirname(chunkId), pathIn(dist, moduleId)).replaceAll(sep, '/');
      return `new URL(${JSON.stringify(place.startsWith('.') ? place : `./${place}`)}, import.meta.url).href`;
    },
  };
}

/** @param {import('rollup').OutputChunk['modules']} modules */
function rendered(modules) {
  return Object.keys(modules).filter((id) => (modules[id]?.renderedLength ?? 0) > 0);
}

/** @param {string} file the page and the playground have scripts of their own, and the workflow bundle is one already */
function isModule(file) {
  return file.endsWith('.js') && !/^(page|playground)[\\/]/.test(file) && file !== 'workflow-bundle.js';
}

/**
 * @param {string} dist
 * @param {string} id
 */
function pathIn(dist, id) {
  return relative(dist, id).replaceAll(sep, '/');
}

/**
 * @param {Map<string, import('./modules.mjs').Module>} modules
 * @param {string} path
 */
function sizeOf(modules, path) {
  return modules.get(path)?.code.length ?? 0;
}
