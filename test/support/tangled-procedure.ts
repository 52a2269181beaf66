import { seededRandom } from './seeded-random.js';

/** What a branch does, one after the other; each gives its place in the output. */
type Step = (random: () => number, url: string) => string;

const pick = <T>(random: () => number, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;
const seconds = (random: () => number, most: number): string => (0.01 + random() * most).toFixed(2);

const steps: readonly Step[] = [
  (random) => `File.read("note-${Math.floor(random() * 9)}.txt")`,
  (random, url) => `File.read("note-0.txt") http_client.get("${url}/${Math.floor(random() * 30)}")`,
  () => `pcall(File.read, "missing.txt")`,
  (random) => `File.write("out-${Math.floor(random() * 9)}.txt", "x")`,
  (random) => `Sleep(${seconds(random, 0.4)})`,
  (random, url) => `http_client.get("${url}/${Math.floor(random() * 60)}")`,
  (random) =>
    `Human.approve{ message = "Go?", timeout = ${pick(random, ['0.2', '0.6', '600'])}, default = true }`,
  (random) => `pcall(Retry.with_backoff, function()
    File.read("missing.txt")
  end, { max_attempts = 2, initial_delay = ${seconds(random, 0.2)} })`,
  (random, url) => `pcall(function()
    Parallel{
      function() http_client.get("${url}/40") end,
      function() Sleep(${seconds(random, 0.3)}) File.read("note-1.txt") end,
      function() Human.approve{ message = "Go?", timeout = 600 } end,
      function() Sleep(${seconds(random, 0.2)}) File.read("note-2.txt") error("no") end,
    }
  end)`,
  (random) => `local child = Procedure.run("child.tac", { s = ${seconds(random, 0.2)} })`,
];

/** A procedure of branches in which files, timers, answers from elsewhere, people and given-up branches meet by chance. */
export function tangledProcedure(seed: number, url: string): { main: string; child: string } {
  const random = seededRandom(seed);
  const branches = Array.from({ length: 8 + Math.floor(random() * 14) }, () => {
    const body = Array.from({ length: 3 + Math.floor(random() * 6) }, () => pick(random, steps)(random, url));
    return `function() ${body.join('\n')} return true end`;
  });
  return {
    main: `Procedure { function()
      Parallel({ ${branches.join(',\n')} })
      return { ok = true }
    end }`,
    child: 'Procedure { function(input) File.read("note-1.txt") Sleep(input.s) return { ok = true } end }',
  };
}
