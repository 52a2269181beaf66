/**
 * Versions of what a run lasts by: how it orders what it hears, what it charges for, and what it compares. A run keeps
 * the engine that it began with until it continues as new.
 *  - 1: 0.1.0. Carries name no engine.
 *  - 2: what arrives is taken in the order of history; all work is charged by the size of what it reads and makes.
 */
export const newestEngine = 2;
