import { randomUUID } from 'node:crypto';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { TactusClient } from '../../dist/index.js';
import { openWorker, type Stage } from '../stage.ts';
import { median, timed } from './compare.ts';
import type { Growth, Sizes } from './growth.ts';

/** The small size is over soon: it is measured so often. */
const rounds = 5;

const mapping = (each: string, declared = ''): string => `${declared}
Procedure {
  input = { n = field.integer{required = true}, endpoint = field.string{required = true} },
  output = { sum = field.number{} },
  function(input)
    local numbers, sum = {}, 0
    for i = 1, input.n do numbers[i] = i end
    local found = Parallel.map(numbers, function(i) return ${each} end)
    for _, value in ipairs(found) do sum = sum + value end
    return { sum = sum }
  end
}`;

const branches: ProcedureSource = {
  entry: 'branches.tac',
  files: {
    'branches.tac': mapping('Model { type = "http", endpoint = input.endpoint }({ i = i }).output.score'),
  },
};

const children: ProcedureSource = {
  entry: 'parent.tac',
  files: {
    'parent.tac': mapping('Procedure.run("child.tac", { i = i }).one'),
    'child.tac': `m = Model { type = "mock", value = {score = 1} }
Procedure {
  input = { i = field.integer{required = true} },
  output = { one = field.number{} },
  function(input) return { one = m({ i = input.i }).output.score } end
}`,
  },
};

/** Branches of one run, each of which asks a prediction model over HTTP. */
export async function measureBranches(stage: Stage, sizes: Sizes): Promise<Growth[]> {
  return [{ what: 'branches of one run, a branch', unit: 'ms', ...(await measured(stage, sizes, branches)) }];
}

/** Child runs of one run, each with one effect. */
export async function measureChildren(stage: Stage, sizes: Sizes): Promise<Growth[]> {
  return [{ what: 'children of one run, a child', unit: 'ms', ...(await measured(stage, sizes, children)) }];
}

async function measured(
  stage: Stage,
  [few, many]: Sizes,
  source: ProcedureSource,
): Promise<{ small: number; large: number }> {
  const taskQueue = `bench-side-by-side-${randomUUID()}`;
  const tactus = new TactusClient(stage.env.client, { taskQueue });
  const cost = async (n: number): Promise<number> => {
    const input = { n, endpoint: stage.endpoint };
    return (await timed(async () => (await tactus.start(source, input)).result())) / n;
  };
  const worker = await openWorker(stage, taskQueue);
  return worker.runUntil(async () => {
    await cost(few); // warm up
    const small: number[] = [];
    for (let round = 0; round < rounds; round++) small.push(await cost(few));
    return { small: median(small), large: await cost(many) };
  });
}
