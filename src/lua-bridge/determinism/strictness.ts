import { PerRun } from '../kernel/per-run.js';

/** `strict_determinism(true)`, for files without a declared procedure. */
export const strictness = new PerRun(() => ({ isDeclared: false }));
