/** `npm run test:whole`: as `npm test`, and what is sampled there is whole. See "What is sampled" in CONTRIBUTING.md. */
Object.assign(process.env, {
  SAMPLE: 'all',
  KILL_EVERY: '1',
  KILL_ROUNDS: '8',
  RACES: '1000',
  MATRIX: 'all',
  LONG_ROUNDS: '8',
  LOOKED_AT: 'all',
  ORDER_SEEDS: '400',
});
await import('./test.mjs');
