/** What Lua 5.5 does otherwise than Lua 5.3, where procedures can see it. */

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
  'lauxlib.js': [
    {
      find: 'module.exports.luaL_argcheck  ',
      replace: 'module.exports.luaL_typeerror = typeerror;\nmodule.exports.luaL_argcheck  ',
    },
  ],
  'lbaselib.js': [
    {
      find: '    luaL_argcheck(L, t === LUA_TNIL || t === LUA_TTABLE, 2, "nil or table expected");',
      replace: `    if (t !== LUA_TNIL && t !== LUA_TTABLE)
        require("./lauxlib.js").luaL_typeerror(L, 2, to_luastring("nil or table", true));`,
    },
    {
      find: '    luaL_argcheck(L, t === LUA_TTABLE || t === LUA_TSTRING, 1, "table or string expected");',
      replace: `    if (t !== LUA_TTABLE && t !== LUA_TSTRING)
        require("./lauxlib.js").luaL_typeerror(L, 1, to_luastring("table or string", true));`,
    },
  ],
  'ltablib.js': [
    {
      find: '1 <= pos && pos <= size + 1, 1, "position out of bounds"',
      replace: '1 <= pos && pos <= size + 1, 2, "position out of bounds"',
    },
    {
      find: 'const unpack = function(L) {\n',
      replace: 'const unpack = function(L) {\n    checktab(L, 1, TAB_R);\n',
    },
  ],
  'lstrlib.js': [
    {
      find: `    luaL_argcheck(L, tr === LUA_TNUMBER || tr === LUA_TSTRING || tr === LUA_TFUNCTION || tr === LUA_TTABLE, 3,
        "string/function/table expected");`,
      replace: `    if (tr !== LUA_TNUMBER && tr !== LUA_TSTRING && tr !== LUA_TFUNCTION && tr !== LUA_TTABLE)
        require("./lauxlib.js").luaL_typeerror(L, 3, to_luastring("string/function/table"));`,
    },
    {
      find: `malformed pattern (missing arguments to '%%b'"`,
      replace: `malformed pattern (missing arguments to '%%b')"`,
    },
    { find: '"strings contains zeros"', replace: '"string contains zeros"' },
    // A position capture is no text that could be matched again.
    {
      find: '    let len = ms.capture[l].len;\n',
      replace: '    let len = ms.capture[l].len;\n    if (len === CAP_POSITION) return null;\n',
    },
    // `gmatch` may start later in the string.
    {
      find: '    lua_settop(L, 2);  /* keep them on closure to avoid being collected */\n',
      replace: `    let init = luaL_optinteger(L, 3, 1);
    init = init > 0 ? init - 1 : init === 0 || -init > ls ? 0 : ls + init;
    lua_settop(L, 2);  /* keep them on closure to avoid being collected */
`,
    },
    { find: '    gm.src = 0;\n', replace: '    gm.src = init;\n' },
    {
      find: '                if (e === -1) e = data.length - pos;\n',
      replace: `                if (e === -1) luaL_argerror(L, 2, to_luastring("unfinished string for format 'z'"));\n`,
    },
  ],
  'lparser.js': [
    // The attributes of Lua 5.4 are not there, and whoever writes one hears what to write.
    {
      find: `        new_localvar(ls, str_checkname(ls));
        nvars++;
    } while (testnext(ls, 44 /* (',').charCodeAt(0) */));
    if (testnext(ls, 61`,
      replace: `        new_localvar(ls, str_checkname(ls));
        if (testnext(ls, 60 /* ('<').charCodeAt(0) */)) refuseattribute(ls);
        nvars++;
    } while (testnext(ls, 44 /* (',').charCodeAt(0) */));
    if (testnext(ls, 61`,
    },
    {
      find: 'const localstat = function(ls) {',
      replace: `const refuseattribute = function(ls) {
    let attribute = to_jsstring(str_checkname(ls).getstr());
    let advice = {
        const: "leave it out: 'local NAME = VALUE'",
        close: "leave it out, and close the value yourself at the end of the block",
    };
    semerror(ls, to_luastring("there is no attribute <" + attribute + "> here; " +
        (Object.hasOwn(advice, attribute) ? advice[attribute] : "leave it out")));
};

const localstat = function(ls) {`,
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
  'lutf8lib.js': [
    {
      find: 'const limits = [0xFF, 0x7F, 0x7FF, 0xFFFF];',
      replace: 'const limits = [0xFF, 0x7F, 0x7FF, 0xFFFF, 0x1FFFFF, 0x3FFFFFF];',
    },
    {
      find: 'const utf8_decode = function(s, pos) {',
      replace:
        '/* Surrogates and what lies beyond Unicode are refused, unless the caller is lax. */\nconst utf8_decode = function(s, pos, lax) {',
    },
    {
      find: '        if (count > 3 || res > MAXUNICODE || res <= limits[count])',
      replace:
        '        if (count > 5 || res < 0 || res <= limits[count] || !lax && (res > MAXUNICODE || res >= 0xD800 && res <= 0xDFFF))',
    },
    {
      find: '0 <= code && code <= MAXUNICODE, arg, "value out of range"',
      replace: '0 <= code && code <= 0x7FFFFFFF, arg, "value out of range"',
    },
    { find: '"initial position out of string"', replace: '"initial position out of bounds"' },
    { find: '"final position out of string"', replace: '"final position out of bounds"' },
    { find: '"position out of range"', replace: '"position out of bounds"' },
    // `offset` gives where the character ends as well.
    {
      find: `    if (n === 0)  /* did it find given character? */
        lua_pushinteger(L, posi + 1);
    else  /* no such character */
        lua_pushnil(L);

    return 1;`,
      replace: `    if (n !== 0) {  /* no such character */
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, posi + 1);
    if (iscont(s[posi])) luaL_error(L, "initial position is a continuation byte");
    if (s[posi] & 0x80) while (iscont(s[posi + 1])) posi++;
    lua_pushinteger(L, posi + 1);
    return 2;`,
    },
    { find: ', "out of range"', replace: ', "out of bounds"', count: 2 },
    {
      find: '        let dec = utf8_decode(s, posi);\n        if (dec === null) {',
      replace: '        let dec = utf8_decode(s, posi, lax);\n        if (dec === null) {',
    },
    {
      find: '    luaL_argcheck(L, 1 <= posi && --posi <= len, 2,',
      replace: '    let lax = lua_toboolean(L, 4);\n    luaL_argcheck(L, 1 <= posi && --posi <= len, 2,',
    },
    {
      find: '        let dec = utf8_decode(s, posi);\n        if (dec === null)\n',
      replace: '        let dec = utf8_decode(s, posi, lax);\n        if (dec === null)\n',
    },
    {
      find: '    luaL_argcheck(L, posi >= 1, 2,',
      replace: '    let lax = lua_toboolean(L, 4);\n    luaL_argcheck(L, posi >= 1, 2,',
    },
    { find: 'utf8_decode(s, n);', replace: 'utf8_decode(s, n, lax);' },
    {
      find: 'const iter_aux = function(L) {\n',
      replace: 'const iter_aux = function(L, lax) {\n',
    },
    {
      find: 'const iter_codes = function(L) {\n    luaL_checkstring(L, 1);\n    lua_pushcfunction(L, iter_aux);',
      replace: `const iter_strict = function(L) { return iter_aux(L, false); };
const iter_lax = function(L) { return iter_aux(L, true); };

const iter_codes = function(L) {
    let lax = lua_toboolean(L, 2);
    luaL_argcheck(L, !iscont(luaL_checkstring(L, 1)[0]), 1, "invalid UTF-8 code");
    lua_pushcfunction(L, lax ? iter_lax : iter_strict);`,
    },
    { find: '127, 194, 45, 244, 93', replace: '127, 194, 45, 253, 93' },
    { find: '    lua_tointeger\n', replace: '    lua_toboolean,\n    lua_tointeger\n' },
  ],
};
