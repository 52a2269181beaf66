/** How long a list is, is known while it has no holes and no other keys: what is searched for then is no different. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const tables = {
  'ltable.js': [
    {
      find: '        this.dead_strong = new Map();',
      replace:
        '        this.listed = 0; /* its keys are 1 to this; -1 when that is not so */\n        this.dead_strong = new Map();',
    },
    {
      find: '    t.strong.set(hash, entry);',
      replace:
        '    let size = t.strong.size;\n    t.listed = t.listed === size && hash === size + 1 ? size + 1 : -1;\n    t.strong.set(hash, entry);',
    },
    {
      find: '        t.strong.delete(hash);',
      replace:
        '        t.strong.delete(hash);\n        let size = t.strong.size;\n        t.listed = size === 0 || (t.listed === size + 1 && hash === size + 1) ? size : -1;',
    },
    // Where a name is one for all states, so is its key: nothing may change it.
    {
      find: 'const luaH_setfrom = function(L, t, key, value) {',
      replace: `const keyFor = function(key) {
    let text = key.value;
    if (key.ttisstring() && text.realstring.text === text)
        return text.realstring.key ??= new lobject.TValue(key.type, text);
    return new lobject.TValue(key.type, text);
};

const luaH_setfrom = function(L, t, key, value) {`,
    },
    {
      find: 'module.exports.luaH_get ',
      replace: 'module.exports.add = add;\nmodule.exports.keyFor = keyFor;\nmodule.exports.luaH_get ',
    },
    {
      find: '            k = new lobject.TValue(key.type, kv);',
      replace: '            k = keyFor(key);',
    },
    {
      find: '        e.key.setdeadvalue();',
      replace: '        e.key = new lobject.TValue(LUA_TNIL, null);\n        e.key.setdeadvalue();',
    },
    {
      find: 'const luaH_getn = function(t) {',
      replace: 'const luaH_getn = function(t) {\n    if (t.listed >= 0) return t.listed;',
    },
  ],
};
