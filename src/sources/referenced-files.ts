/** A text of Lua. */
const anyText = String.raw`(?:"([^"\n]+)"|'([^'\n]+)'|\[\[([^\]\n]+)\]\])`;
/** `require("a.b")`, `require 'a.b'`, `require [[a.b]]`, `pcall(require, "a.b")`. */
const requires = new RegExp(String.raw`\brequire\s*(?:[(,]\s*)?${anyText}`, 'g');
/** `Procedure.run("x.tac", …)`, `procedure.spawn "x.tac"`, `pcall(Procedure.run, "x")`. */
const runs = new RegExp(String.raw`\bprocedure\s*\.\s*(?:run|spawn)\s*(?:[(,]\s*)?${anyText}`, 'gi');
/** `local files = {"x.tac", "y.tac"}`, from which `Procedure.run(files[i])` chooses. */
const named = /"([^"\n]+\.tac)"|'([^'\n]+\.tac)'|\[\[([^[\]\n]+\.tac)\]\]/g;
/** `Toolset "math" {use = "./helpers/math.tac"}`. */
const uses = /\buse\s*=\s*(?:"([^"\n]+\.tac)"|'([^'\n]+\.tac)'|\[\[([^\]\n]+\.tac)\]\])/g;
/** `IncludeTasks("tasks.tac")`, `IncludeTasks {path = "tasks.tac"}`. */
const includes = new RegExp(
  String.raw`\bIncludeTasks\s*(?:\(\s*)?(?:\{[^{}]*?\bpath\s*=\s*)?${anyText}`,
  'g',
);
/** `skills = "./skills"`, `skills = {"./skills/refunds", "./more"}`. */
const skillLists = /\bskills\s*=\s*(?:\{([^{}]*)\}|("[^"\n]+"|'[^'\n]+'|\[\[[^\]\n]+\]\]))/g;
const texts = new RegExp(anyText, 'g');
/** No other names are looked for: nothing leads out of the folder. */
const moduleName = /^[\w-]+([./][\w-]+)*$/;
const fileName = /^(\.\/)?[\w@ -][\w.@ -]*(\/[\w@ -][\w.@ -]*)*$/;

export interface References {
  /** What `require` loads, and what toolsets use, each as the names that it looks for, in order. */
  modules: string[][];
  /** What runs as a procedure of its own, each as the names that it may have. */
  procedures: string[][];
  /** Files whose tasks are included, relative to the file that this is the source of. */
  tasks: string[];
  /** Folders and files of skills, relative to the folder of the entry file. */
  skills: string[];
}

/**
 * The files that a source may need, relative to the folder of the entry file. `folder` is that of the procedure which
 * the source belongs to: empty, or a path that ends with `/`. Found by a scan for literals, not by parsing: a comment
 * may bring in a file too many, which does no harm.
 */
export function referencedFiles(source: string, folder: string): References {
  const modules = literals(source, requires).filter((name) => moduleName.test(name));
  const procedures = runnable(source).filter((name) => fileName.test(name));
  const toolsets = literals(source, uses).filter((name) => fileName.test(name));
  return {
    modules: [
      ...modules.map((name) =>
        ['.tac', '/init.tac', '.lua'].map((ending) => folder + name.replaceAll('.', '/') + ending),
      ),
      ...toolsets.map((name) => [folder + name.replace(/^\.\//, '')]),
    ],
    tasks: literals(source, includes)
      .filter((name) => fileName.test(name))
      .map((name) => name.replace(/^\.\//, '')),
    skills: Array.from(source.matchAll(skillLists), ([, list = '', one = '']) => literals(list + one, texts))
      .flat()
      .map((name) => name.replace(/\/+$/, ''))
      .filter((name) => fileName.test(name))
      .map((name) => folder + name.replace(/^\.\//, '')),
    procedures: procedures.map((name) => {
      const path = name.replace(/^\.\//, '');
      return [...new Set([path, `${path}.tac`, folder + path, `${folder}${path}.tac`])];
    }),
  };
}

/** What may run as a procedure: what a call names, and every `.tac` file that a source with such calls names elsewhere. */
function runnable(source: string): string[] {
  if (!/\bprocedure\s{0,9}\.\s{0,9}(?:run|spawn)\b/i.test(source)) return [];
  return [...new Set([...literals(source, runs), ...literals(source, named)])];
}

function literals(source: string, pattern: RegExp): string[] {
  const found = Array.from(source.matchAll(pattern), (match) => match[1] ?? match[2] ?? match[3] ?? '');
  return [...new Set(found)];
}
