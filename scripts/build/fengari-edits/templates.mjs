/**
 * What the tables of a state have in common with those of all others, such as the functions of `string`, is there once for a worker:
 * a template. A table makes a copy of an entry when that is asked for, and of all before they are walked over or one is taken away.
 * Lua can't tell: keys, values and their order are those of a table that was filled.
 */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const templates = {
  'ltable.js': [
    {
      find: '        this.strong = EMPTY;',
      replace:
        '        this.strong = EMPTY;\n        this.template = null; /* entries by hash, in their order; null for one of its own. strong, f and l lack those */',
    },
    {
      find: 'const getgeneric = function(t, hash) {\n    let v = t.strong.get(hash);\n',
      replace: `const copyOf = function(shared) {
    return new lobject.Entry(shared.keytype, shared.keyvalue, shared.type, shared.value, void 0);
};

/* The entry of a template, as the table's own. */
const copied = function(t, hash) {
    let shared = t.template.get(hash);
    if (!shared) return void 0;
    let entry = copyOf(shared);
    if (t.strong === EMPTY) t.strong = new Map();
    t.strong.set(hash, entry);
    return entry;
};

const found = function(t, hash) {
    let entry = t.strong.get(hash);
    return entry === void 0 && t.template !== null ? copied(t, hash) : entry;
};

/* Makes a table with a template one without: what was added stands behind what it began with. */
const unfold = function(t) {
    let { template, strong } = t;
    t.template = null;
    t.strong = new Map();
    t.f = t.l = void 0;
    t.listed = -1;
    const put = (hash, entry) => {
        entry.p = t.l;
        entry.n = void 0;
        if (t.l) t.l.n = entry;
        else t.f = entry;
        t.l = entry;
        t.strong.set(hash, entry);
    };
    template.forEach((shared, hash) => {
        let entry = strong.get(hash);
        put(hash, entry === void 0 ? copyOf(shared) : entry);
    });
    strong.forEach((entry, hash) => {
        if (!template.has(hash)) put(hash, entry);
    });
};

const getgeneric = function(t, hash) {
    let v = t.strong.get(hash);
    if (v === void 0 && t.template !== null) v = t.template.get(hash);
`,
    },
    {
      find: '    let e = t.strong.get(hash);\n    if (e) {\n        e.setfrom(value);',
      replace: '    let e = found(t, hash);\n    if (e) {\n        e.setfrom(value);',
      count: 2,
    },
    {
      find: 'const mark_dead = function(t, hash) {\n',
      replace: 'const mark_dead = function(t, hash) {\n    if (t.template !== null) unfold(t);\n',
    },
    {
      find: '    if (t.listed >= 0) return t.listed;',
      replace: '    if (t.listed >= 0) return t.listed;\n    if (t.template !== null) unfold(t);',
    },
    {
      find: 'const luaH_next = function(L, table, keyI) {\n',
      replace:
        'const luaH_next = function(L, table, keyI) {\n    if (table.template !== null) unfold(table);\n',
    },
    {
      find: 'module.exports.add = add;\n',
      replace:
        'module.exports.add = add;\nmodule.exports.EMPTY = EMPTY;\nmodule.exports.copied = copied;\nmodule.exports.unfold = unfold;\n',
    },
  ],
  'lvm.js': [
    {
      find: '            let entry = t.value.strong.get(hash);\n',
      replace:
        '            let entry = t.value.strong.get(hash);\n            if (entry === void 0 && t.value.template !== null) entry = ltable.copied(t.value, hash);\n',
    },
    {
      find: '            let entry = table.strong.get(hash);\n',
      replace:
        '            let entry = table.strong.get(hash);\n            if (entry === void 0 && table.template !== null) entry = ltable.copied(table, hash);\n',
    },
  ],
};
