import type { RandomValues } from '../random-values.js';

/** Writes the body of a Lua function. What the function returns, or the error that it raises, is compared. */
export type Statement = (values: RandomValues) => string;
