/** What Lua and the workflow use of JavaScript's own, and nobody replaces. `Date` and timers are Temporal's in a workflow. */
const names = [
  ...[
    'Array',
    'ArrayBuffer',
    'BigInt',
    'Boolean',
    'DataView',
    'Error',
    'Infinity',
    'JSON',
    'Map',
    'Math',
    'NaN',
  ],
  ...['Number', 'Object', 'Proxy', 'RangeError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'TypeError'],
  ...['Uint8Array', 'Uint32Array', 'WeakMap', 'WeakSet', 'isNaN', 'parseFloat', 'parseInt'],
];

/**
 * A module that keeps the globals it uses as constants. In a workflow's sandbox each look at a global is a call out of
 * the engine that takes some 50 times as long. Stays on the first line, so that the lines of the source map
 * are right.
 * @param {string} text an ES module
 */
export function bindGlobals(text) {
  const used = names.filter((name) => new RegExp(`(?<![.\\w$])${name}(?![\\w$])`).test(text));
  return used.length === 0 ? text : `const { ${used.join(', ')} } = globalThis; ${text}`;
}
