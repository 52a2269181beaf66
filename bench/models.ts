/**
 * `npm run bench -- models [rounds]`: what predictions cost here beside the library alone, one and 1,000 at once: through the process that has the models, and as a whole
 * step of a run; and the memory of that process over 20 models in turn. The same of the worker in Python, with scikit-learn.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureHost, type BesideLibrary } from './measures/model-host.ts';
import { measureMemoryInTurn, type TurnsInMemory } from './measures/model-memory.ts';
import { measureModelSteps } from './measures/model-steps.ts';
import { measurePythonModels } from './measures/python-models.ts';
import { measurePythonSteps } from './measures/python-steps.ts';
import { asQuantiles, quantile } from './measures/quantiles.ts';
import { network } from './models/network.ts';
import { makeSubjects } from './models/subjects.ts';
import { openStage } from './stage.ts';

const rounds = Number(process.argv[2] ?? 200);
const many = 1000;
const folder = mkdtempSync(join(tmpdir(), 'bench-models-'));

const load = (): string => (loadavg()[0] ?? 0).toFixed(1);
const head = (what: string): void => {
  console.log(
    `\n| ${what}; p50 / p99 in ms | the library | here | more at p50 | ratio at p50 | load |\n| ${Array(6).fill('---').join(' | ')} |`,
  );
};
function row(name: string, { alone, here }: BesideLibrary): void {
  const [less, more] = [quantile(alone, 0.5), quantile(here, 0.5)];
  const figures = [
    asQuantiles(alone),
    asQuantiles(here),
    `${(more - less).toFixed(1)} ms`,
    (more / less).toFixed(2),
  ];
  console.log(`| ${name} | ${figures.join(' | ')} | ${load()} |`);
}
function memoryRow(name: string, { first, firstRound, lastRound }: TurnsInMemory): void {
  const figures = [first, firstRound, lastRound].map((megabytes) => `${megabytes.toFixed(0)} MB`);
  console.log(`| ${name} | ${figures.join(' | ')} | ${load()} |`);
}

// The process that has the models keeps nobody from ending, who waits for it alone.
setInterval(() => undefined, 1_000);
const subjects = await makeSubjects(folder);
const python = measurePythonModels(folder, rounds);
head('one, in its process');
for (const subject of subjects) row(subject.name, await measureHost(folder, subject, 1, rounds));
for (const { name, one } of python.models) row(name, one);
head('1,000, in its process');
for (const subject of subjects) row(subject.name, await measureHost(folder, subject, many, rounds / 10));
for (const { name, thousand } of python.models) row(name, thousand);

console.log(
  `\n| memory, 20 models in turn, with room for 3 | with one | most, first time round | most, fifth time | load |\n| ${Array(5).fill('---').join(' | ')} |`,
);
memoryRow('sklearn, 17 MB each', python.memory);
const paths = Array.from({ length: 20 }, (_, i) => `turn-${i}.onnx`);
for (const [i, path] of paths.entries()) writeFileSync(join(folder, path), network([64, 2048, 2048, 10], i));
memoryRow('onnx, 17 MB each', await measureMemoryInTurn(folder, paths, 5));

const stage = await openStage();
head('one, a whole step');
for (const subject of subjects) row(subject.name, await measureModelSteps(stage, folder, subject, 1, rounds));
const pythonSteps = await measurePythonSteps(stage, folder, rounds);
for (const { name, one } of pythonSteps) row(`${name}, by Python`, one);
head('1,000, a whole step');
for (const subject of subjects.filter(({ isWide }) => isWide !== true))
  row(subject.name, await measureModelSteps(stage, folder, subject, many, rounds / 10));
for (const { name, thousand } of pythonSteps) row(`${name}, by Python`, thousand);
await stage.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
