import { execFileSync } from 'node:child_process';

/** What chooses the part that sampled tests look at: `SAMPLE_SEED`, else the commit; 1 where there is none. Told once, by a test run's first lines. */
export function sampleSeed(): string {
  const seed = process.env['SAMPLE_SEED'] ?? seedOfCommit();
  if (process.env['SAMPLE'] !== 'all') console.log(`Slow tests look at a part: SAMPLE_SEED=${seed}`);
  return seed;
}

function seedOfCommit(): string {
  try {
    const commit = execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return String(Number.parseInt(commit, 16));
  } catch {
    return '1'; // no clone, but a folder that was unpacked
  }
}
