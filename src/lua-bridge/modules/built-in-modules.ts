import { lua, native, setField, type Bridge, type CFunction, type LuaState } from '../kernel/index.js';
import type { DataFormat } from '../../contract/files/data-file.js';
import type { Change } from '../../contract/engine.js';
import { loadChunk } from './load-chunk.js';
import { dataFileFunction, fileFunctions } from '../files/file-functions.js';
import {
  classify,
  classifyBase,
  classifyFuzzy,
  classifyByAll,
  classifyLists,
  classifyLlm,
  classifySurely,
} from './classify.js';
import { classifyProcedure } from './classify-procedure.js';
import { extract, extractBase, extractLlm } from './extract.js';
import { generate, generateBase, generateLlm } from './generate.js';
import { delimited, ioFile, ioJson, olderDelimited, olderJson } from './io.js';
import { hfModel, llmModel, models, naiveBayesModel } from './models.js';
import { filesystemCorpus, retrieverBase, retrieverOf, retrievers } from './retrievers.js';
import { similarity } from './similarity.js';

/** `tactus.io.parquet`, `tactus.io.excel` and `tactus.io.hdf5`: files of data, which the worker's libraries read. */
const ioParquet = String.raw`
local ask = ...
return {
  read = function(path) return ask("read", path) end,
  write = function(path, data) return ask("write", path, nil, data) end,
}
`;

const ioExcel = String.raw`
local ask = ...
return {
  read = function(path, options) return ask("read", path, options and options.sheet) end,
  write = function(path, data, options) return ask("write", path, options and options.sheet, data) end,
  sheets = function(path) return ask("list", path) end,
}
`;

const ioHdf5 = String.raw`
local ask = ...
return {
  read = function(path, dataset) return ask("read", path, dataset or "") end,
  write = function(path, dataset, data) return ask("write", path, dataset or "", data) end,
  list = function(path) return ask("list", path) end,
}
`;

/** `tactus.text.classify.naive_bayes`: a classifier that has been trained and registered, which a worker in Python loads. */
const classifyNaiveBayes = String.raw`
local base = require("tactus.text.classify.base")
local models = require("tactus.models.naive_bayes")
local NaiveBayesClassifier = base.class(base.BaseClassifier)

function NaiveBayesClassifier:init(config)
  base.BaseClassifier.init(self, config)
  if type(config.name) ~= "string" then
    error("a naive_bayes classifier needs a name: that of a registered model", 0)
  end
  self.name = config.name
  self.version = config.version or "latest"
  self.model = models.NaiveBayesModel(config)
end

local function found(output)
  return {value = output.label, confidence = output.confidence, raw_response = output}
end

function NaiveBayesClassifier:classify(given)
  if type(given) ~= "table" then return found(self.model({text = given}).output) end
  local inputs, results = {}, {}
  for i, text in ipairs(given) do inputs[i] = {text = text} end
  for i, answer in ipairs(self.model.predict_batch(inputs)) do results[i] = found(answer.output) end
  return results
end

return {NaiveBayesClassifier = NaiveBayesClassifier}
`;

/** A small class system: `class(base)` with `:new(config)`, which calls `init`; an object calls its class's `__call`. */
const classBase = String.raw`
local function class(base)
  local made = {}
  for key, value in pairs(base or {}) do made[key] = value end
  made.__index = made
  function made:new(config)
    local object = setmetatable({}, self)
    if object.init then object:init(config or {}) end
    return object
  end
  return made
end

return class
`;

/** Lua source of a module, whose chunk is called with functions that only modules have. */
const sources: Record<string, string> = {
  'tactus.text.class': classBase,
  'tactus.text.classify': classify,
  'tactus.text.classify.base': classifyBase,
  'tactus.text.classify.llm': classifyLlm,
  'tactus.text.classify.fuzzy': classifyFuzzy,
  'tactus.text.classify.procedure': classifyProcedure,
  'tactus.text.extract': extract,
  'tactus.text.extract.base': extractBase,
  'tactus.text.extract.llm': extractLlm,
  'tactus.generate': generate,
  'tactus.generate.base': generateBase,
  'tactus.generate.llm': generateLlm,
  'tactus.io.file': ioFile,
  'tactus.io.json': olderJson,
  'tactus.io.csv': olderDelimited(','),
  'tactus.io.tsv': olderDelimited('\\t'),
};

/** Modules that are there from a change on. */
const laterModules: readonly { change: Change; sources: Record<string, string> }[] = [
  {
    change: 'retrieval',
    sources: {
      'tactus.corpora.filesystem': filesystemCorpus,
      'tactus.retrievers': retrievers,
      'tactus.retrievers.base': retrieverBase,
      'tactus.retrievers.embedding_index_file': retrieverOf('embedding-index-file'),
      'tactus.retrievers.embedding_index_inmemory': retrieverOf('embedding-index-inmemory'),
      'tactus.retrievers.sqlite_full_text_search': retrieverOf('sqlite-full-text-search'),
      'tactus.retrievers.tf_vector': retrieverOf('tf-vector'),
    },
  },
  {
    change: 'more-modules',
    sources: {
      'tactus.text.classify.naive_bayes': classifyNaiveBayes,
      'tactus.models': models,
      'tactus.models.llm': llmModel,
      'tactus.models.naive_bayes': naiveBayesModel,
      'tactus.models.hf_sequence_classifier': hfModel,
      'tactus.io.parquet': ioParquet,
      'tactus.io.excel': ioExcel,
      'tactus.io.hdf5': ioHdf5,
    },
  },
];

/** Which of them are of files of data: their chunk is called with the one function that they are made of. */
const dataFormats: Record<string, DataFormat> = {
  'tactus.io.parquet': 'parquet',
  'tactus.io.excel': 'excel',
  'tactus.io.hdf5': 'hdf5',
};

/** Modules that are others from an engine on, the newest first: what a run executes must stay as it began. */
const newerModules: readonly { change: Change; name: string; source: string }[] = [
  { change: 'whole-tables', name: 'tactus.io.csv', source: delimited(',') },
  { change: 'whole-tables', name: 'tactus.io.tsv', source: delimited('\\t') },
  { change: 'whole-tables', name: 'tactus.io.json', source: ioJson },
  { change: 'more-modules', name: 'tactus.text.classify', source: classifyByAll },
  { change: 'batches', name: 'tactus.text.classify', source: classifyLists },
  { change: 'model-options', name: 'tactus.text.classify', source: classifySurely },
];

function sourcesOf({ holds }: Pick<Bridge, 'holds'>): Record<string, string> {
  const later = laterModules.filter(({ change }) => holds(change)).map((each) => each.sources);
  return Object.assign({}, sources, ...later) as Record<string, string>;
}

export function isBuiltIn(bridge: Pick<Bridge, 'holds'>, name: string): boolean {
  return Object.hasOwn(sourcesOf(bridge), name);
}

export function builtInNames(bridge: Pick<Bridge, 'holds'>): string[] {
  return ['tactus.tools.done', 'tactus.tools.log', ...Object.keys(sourcesOf(bridge))];
}

/** Pushes the module as a function to call. */
export function pushBuiltIn(bridge: Bridge, L: LuaState, name: string, ask: CFunction): void {
  const newer = newerModules.find((each) => each.name === name && bridge.holds(each.change));
  const source = newer?.source ?? sourcesOf(bridge)[name] ?? '';
  const format = Object.hasOwn(dataFormats, name) ? dataFormats[name] : undefined;
  lua.lua_pushcfunction(
    L,
    native(bridge, function* (thread) {
      loadChunk(thread, name, source);
      if (format === undefined) pushHelpers(bridge, thread, ask);
      else lua.lua_pushcfunction(thread, dataFileFunction(bridge, format));
      yield { call: 1, results: 1 };
      return 1;
    }),
  );
}

function pushHelpers(bridge: Bridge, L: LuaState, ask: CFunction): void {
  const helpers: Record<string, CFunction> = { ask, similarity, ...fileFunctions(bridge, bridge.run.folder) };
  lua.lua_createtable(L, 0, 6);
  for (const [key, fn] of Object.entries(helpers)) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, key);
  }
}
