/**
 * The oldest Node that runs the project, as `engines` in package.json says.
 * @type {import('./version.mjs').Version}
 */
export const leastNode = [22, 12, 0];
