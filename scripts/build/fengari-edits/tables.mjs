/**
 * How long a list is, is known while it has no holes and no other keys: what is searched for then is no different.
 *
 * An entry of a table is its own value and holds its key: one object in place of three.
 */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const tables = {
  'lobject.js': [
    {
      find: 'const luaO_nilobject = ',
      replace: `class Entry extends TValue {
    constructor(keytype, keyvalue, type, value, p) {
        super(type, value);
        this.keytype = keytype;
        this.keyvalue = keyvalue;
        this.p = p;
        this.n = void 0;
    }

    get key() {
        return new TValue(this.keytype, this.keyvalue);
    }
}

const luaO_nilobject = `,
    },
    {
      find: 'module.exports.LocVar ',
      replace: 'module.exports.Entry             = Entry;\nmodule.exports.LocVar ',
    },
  ],
  // Of a name that the source has already.
  'llex.js': [{ find: 'tpair.key.tsvalue()', replace: 'tpair.keyvalue' }],
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
    {
      find: `    let entry = {
        key: key,
        value: value,
        p: prev = t.l,
        n: void 0
    };
`,
      replace: '    let entry = new lobject.Entry(keytype, key, type, value, prev = t.l);\n',
    },
    {
      find: 'const add = function(t, hash, key, value) {',
      replace: 'const add = function(t, hash, keytype, key, type, value) {',
    },
    {
      find: 'return v ? v.value : lobject.luaO_nilobject;',
      replace: 'return v ? v : lobject.luaO_nilobject;',
    },
    {
      find: '        let tv = e.value;\n        tv.setfrom(value);\n',
      replace: '        e.setfrom(value);\n',
    },
    {
      find: `        let k = new lobject.TValue(LUA_TNUMINT, key);
        let v = new lobject.TValue(value.type, value.value);
        add(t, hash, k, v);
`,
      replace: '        add(t, hash, LUA_TNUMINT, key, value.type, value.value);\n',
    },
    { find: '        e.value.setfrom(value);\n', replace: '        e.setfrom(value);\n' },
    {
      find: `            k = new lobject.TValue(LUA_TNUMINT, kv);
        } else {
            k = new lobject.TValue(key.type, kv);
        }
        let v = new lobject.TValue(value.type, value.value);
        add(t, hash, k, v);
`,
      replace: `            k = LUA_TNUMINT;
        } else {
            k = key.type;
        }
        add(t, hash, k, kv, value.type, value.value);
`,
    },
    {
      find: '        e.key.setdeadvalue();\n        e.value = void 0;\n',
      replace:
        '        e.keytype = lobject.LUA_TDEADKEY;\n        e.keyvalue = null;\n        e.setnilvalue();\n',
    },
    { find: 'entry.key.ttisdeadkey()', replace: 'entry.keytype === lobject.LUA_TDEADKEY' },
    {
      find: '    lobject.setobj2s(L, keyI, entry.key);\n    lobject.setobj2s(L, keyI+1, entry.value);\n',
      replace:
        '    keyO.type = entry.keytype;\n    keyO.value = entry.keyvalue;\n    lobject.setobj2s(L, keyI+1, entry);\n',
    },
    {
      find: 'module.exports.luaH_get ',
      replace: 'module.exports.add = add;\nmodule.exports.luaH_get ',
    },
    {
      find: 'const luaH_getn = function(t) {',
      replace: 'const luaH_getn = function(t) {\n    if (t.listed >= 0) return t.listed;',
    },
  ],
};
