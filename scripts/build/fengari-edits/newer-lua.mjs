/** What the language does in Lua 5.5 otherwise than in Lua 5.3, where procedures can see it. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const newerLua = {
  'lvm.js': [
    // A list is filled from its start, so that `pairs` gives its elements in order.
    {
      find: `                for (; n > 0; n--) {
                    ltable.luaH_setint(h, last--, L.stack[ra + n]);
                }`,
      replace: `                for (let j = 1; j <= n; j++)
                    ltable.luaH_setint(h, last - n + j, L.stack[ra + j]);`,
    },
    {
      find: '                if (init.ttisinteger() && pstep.ttisinteger() && (forlim',
      replace: `                if (init.ttisinteger() && pstep.ttisinteger() && pstep.value === 0)
                    ldebug.luaG_runerror(L, to_luastring("'for' step is zero", true));
                if (init.ttisinteger() && pstep.ttisinteger() && (forlim`,
    },
    {
      find: `ldebug.luaG_runerror(L, to_luastring("'for' limit must be a number", true));`,
      replace: 'ldebug.luaG_forerror(L, plimit, "limit");',
    },
    {
      find: `ldebug.luaG_runerror(L, to_luastring("'for' step must be a number", true));`,
      replace: 'ldebug.luaG_forerror(L, pstep, "step");',
    },
    {
      find: `ldebug.luaG_runerror(L, to_luastring("'for' initial value must be a number", true));`,
      replace: `ldebug.luaG_forerror(L, init, "initial value");
                    if (nstep === 0) ldebug.luaG_runerror(L, to_luastring("'for' step is zero", true));`,
    },
    // `__lt` does not stand in for `__le`.
    {
      from: "    /* try 'lt': */\n",
      to: '    if (res === null)\n        ldebug.luaG_ordererror(L, l, r);\n    return res ? 0 : 1;',
      replace: '',
    },
    {
      find: '    if (res === null)\n        ldebug.luaG_ordererror(L, l, r);\n    return res ? 0 : 1; /* result is negated */\n',
      replace: '    ldebug.luaG_ordererror(L, l, r);\n',
    },
    // Strings that hold an integer divide as integers.
    {
      find: 'L.stack[ra].setfltvalue(luai_nummod(L, numberop1, numberop2));',
      replace:
        'if (areintegers(op1, op2)) L.stack[ra].setivalue(luaV_mod(L, numberop1, numberop2));\n                    else L.stack[ra].setfltvalue(luai_nummod(L, numberop1, numberop2));',
    },
    {
      find: 'L.stack[ra].setfltvalue(Math.floor(numberop1 / numberop2));',
      replace:
        'if (areintegers(op1, op2)) L.stack[ra].setivalue(luaV_div(L, numberop1, numberop2));\n                    else L.stack[ra].setfltvalue(Math.floor(numberop1 / numberop2));',
    },
    {
      find: `    if ((op1.ttisstring() || op2.ttisstring()) && readsinteger(op1) && readsinteger(op2)) target.setivalue(value);
    else target.setfltvalue(value);
};
`,
      replace: `    if (areintegers(op1, op2)) target.setivalue(value);
    else target.setfltvalue(value);
};
`,
    },
    {
      find: 'const setsum = function(target, op1, op2, value) {',
      replace: `const areintegers = function(op1, op2) {
    return (op1.ttisstring() || op2.ttisstring()) && readsinteger(op1) && readsinteger(op2);
};

const setsum = function(target, op1, op2, value) {`,
    },
  ],
  'ldebug.js': [
    // Constants are named as variables are, and so are integer keys.
    {
      find: '            kind = getobjname(ci.func.value.p, currentpc(ci), stkid - ci.l_base);\n',
      replace: `            kind = getobjname(ci.func.value.p, currentpc(ci), stkid - ci.l_base);
        if (!kind && o.ttisstring() && ci.func.value.p.k.includes(o))
            kind = { name: o.svalue(), funcname: to_luastring("constant", true) };
`,
    },
    {
      find: '            return r;\n        }\n        /* else no reasonable name found */\n    } else {',
      replace: `            return r;
        }
        if (kvalue.ttisinteger() && kvalue.value >= 0 && kvalue.value <= 255) {
            r.name = to_luastring("integer index", true);
            return r;
        }
        /* else no reasonable name found */
    } else {`,
    },
    {
      find: 'const luaG_errormsg = function(L) {',
      replace: `const luaG_callerror = function(L, o) {
    let ci = L.ci;
    let kind = ci.callstatus & lstate.CIST_LUA ? funcnamefromcode(L, ci) : null;
    let extra = kind ? lobject.luaO_pushfstring(L, to_luastring(" (%s '%s')", true), kind.funcname, kind.name) : varinfo(L, o);
    luaG_runerror(L, to_luastring("attempt to call a %s value%s", true), ltm.luaT_objtypename(L, o), extra);
};

const luaG_forerror = function(L, o, what) {
    luaG_runerror(L, to_luastring("bad 'for' %s (number expected, got %s)", true), to_luastring(what), ltm.luaT_objtypename(L, o));
};

const luaG_errormsg = function(L) {`,
    },
    // An error always has a value.
    {
      find: '    ldo.luaD_throw(L, LUA_ERRRUN);\n};',
      replace: `    if (L.stack[L.top - 1].ttisnil())
        lobject.setsvalue2s(L, L.top - 1, luaS_newliteral(L, "<no error object>"));
    ldo.luaD_throw(L, LUA_ERRRUN);
};`,
    },
    {
      find: 'const varinfo = function(L, o) {',
      replace: 'const { luaS_newliteral } = require("./lstring.js");\nconst varinfo = function(L, o) {',
    },
    {
      find: '    r.name = L.l_G.tmname[tm].getstr();\n',
      replace: '    r.name = L.l_G.tmname[tm].getstr().subarray(2);\n',
    },
    {
      find: 'module.exports.luaG_concaterror = luaG_concaterror;',
      replace:
        'module.exports.luaG_concaterror = luaG_concaterror;\nmodule.exports.luaG_callerror = luaG_callerror;\nmodule.exports.luaG_forerror = luaG_forerror;',
    },
  ],
  'ldo.js': [
    {
      find: '        ldebug.luaG_typeerror(L, func, to_luastring("call", true));',
      replace: '        ldebug.luaG_callerror(L, func);',
    },
    {
      find: 'attempt to yield across a JS-call boundary',
      replace: 'attempt to yield across a C-call boundary',
    },
  ],
  'ltm.js': [
    {
      find: `                let n1 = lvm.tonumber(p1);
                let n2 = lvm.tonumber(p2);
                if (n1 !== false && n2 !== false)
                    return ldebug.luaG_tointerror(L, p1, p2);
                else
                    return ldebug.luaG_opinterror(L, p1, p2, to_luastring("perform bitwise operation on", true));`,
      replace: `                if (p1.ttisnumber() && p2.ttisnumber())
                    return ldebug.luaG_tointerror(L, p1, p2);
                return ldebug.luaG_typeerror(L, p1.ttisnumber() ? p2 : p1, to_luastring("perform bitwise operation on", true));`,
    },
  ],
  'lparser.js': [
    // `<const>`, behind a name or before all of them. A variable knows whether it has it, and so does an upvalue.
    {
      find: `    let e = new expdesc();
    do {
        new_localvar(ls, str_checkname(ls));
        nvars++;
    } while (testnext(ls, 44 /* (',').charCodeAt(0) */));
    if (testnext(ls, 61`,
      replace: `    let e = new expdesc();
    let allconst = attribute(ls);
    do {
        new_localvar(ls, str_checkname(ls));
        ls.dyd.actvar.arr[ls.dyd.actvar.n - 1].isconst = attribute(ls) || allconst;
        nvars++;
    } while (testnext(ls, 44 /* (',').charCodeAt(0) */));
    if (testnext(ls, 61`,
    },
    {
      find: 'const localstat = function(ls) {',
      replace: `const attribute = function(ls) {
    if (!testnext(ls, 60 /* ('<').charCodeAt(0) */)) return false;
    let name = to_jsstring(str_checkname(ls).getstr());
    checknext(ls, 62 /* ('>').charCodeAt(0) */);
    if (name === "close")
        semerror(ls, to_luastring("there is no attribute <close> here; " +
            "leave it out, and close the value yourself at the end of the block"));
    if (name !== "const")
        semerror(ls, to_luastring("unknown attribute '" + name + "'"));
    return true;
};

const localstat = function(ls) {`,
    },
    {
      find: '        this.idx = NaN;  /* variable index in stack */',
      replace: `        this.idx = NaN;  /* variable index in stack */
        this.isconst = false;`,
    },
    {
      find: `        idx: v.u.info,
        name: name
    };`,
      replace: `        idx: v.u.info,
        name: name,
        isconst: fs.prev !== null && isconst(fs.prev, v)
    };`,
    },
    {
      find: 'const newupvalue = function(fs, name, v) {',
      replace: `const isconst = function(fs, v) {
    if (v.k === expkind.VLOCAL) return fs.ls.dyd.actvar.arr[fs.firstlocal + v.u.info].isconst;
    return v.k === expkind.VUPVAL && fs.f.upvalues[v.u.info].isconst;
};

const nameof = function(fs, v) {
    return v.k === expkind.VLOCAL ? getlocvar(fs, v.u.info).varname : fs.f.upvalues[v.u.info].name;
};

const checkassignable = function(ls, v) {
    if (isconst(ls.fs, v))
        semerror(ls, lobject.luaO_pushfstring(ls.L, to_luastring("attempt to assign to const variable '%s'", true),
            nameof(ls.fs, v).getstr()));
};

const newupvalue = function(fs, name, v) {`,
    },
    {
      find: `    check_condition(ls, vkisvar(lh.v.k), to_luastring("syntax error", true));
`,
      replace: `    check_condition(ls, vkisvar(lh.v.k), to_luastring("syntax error", true));
    checkassignable(ls, lh.v);
`,
    },
    {
      find: `    body(ls, b, ismethod, line);
    luaK_storevar(ls.fs, v, b);`,
      replace: `    checkassignable(ls, v);
    body(ls, b, ismethod, line);
    luaK_storevar(ls.fs, v, b);`,
    },
    {
      find: 'const semerror = function',
      replace: 'const { to_jsstring } = require("./defs.js");\nconst semerror = function',
    },
  ],
  'llex.js': [
    // A numeral ends before the next word.
    {
      find: '    // save(ls, 0);\n\n    let obj',
      replace: '    if (lislalpha(ls.current)) save_and_next(ls);\n    let obj',
    },
    {
      find: '        r = (r << 4) + lobject.luaO_hexavalue(ls.current);\n        esccheck(ls, r <= 0x10FFFF,',
      replace:
        '        esccheck(ls, r <= 0x7FFFFFF, to_luastring("UTF-8 value too large", true));\n        r = (r << 4) + lobject.luaO_hexavalue(ls.current);\n        esccheck(ls, r <= 0x7FFFFFFF,',
    },
  ],
  'lobject.js': [{ find: 'lua_assert(x <= 0x10FFFF);', replace: 'lua_assert(x <= 0x7FFFFFFF);' }],
};
