-- Models that a worker loads, asked about one and about many, side by side; one that isn't there; what is found in corpora; files of data.
iris = Model "iris" { type = "onnx", path = "iris-logistic.onnx", labels = { "setosa", "versicolor", "virginica" } }
gone = Model "gone" { type = "onnx", path = "gone.onnx" }
notes = Corpus { root = "wares" }
words = Retriever { corpus = notes, retriever_id = "sqlite-full-text-search" }
meaning = Retriever {
  corpus = notes, retriever_id = "embedding-index-file", limit = 2,
  embedding_provider = { provider_id = "sentence_transformers", path = "sentences", max_length = 64 },
}
terms = Retriever { corpus = notes, retriever_id = "tf-vector" }
shop = Context { messages = { system("Answer by these notes:"), context(terms, { max_tokens = 100 }), history() } }
seller = Agent { model = "openai/gpt-4o-mini", context = shop }

Procedure {
  function(input)
    local one = iris({ 5.1, 3.5, 1.4, 0.2 }).output.label
    local many = iris.predict_batch({ { 5.1, 3.5, 1.4, 0.2 }, { 6.7, 3.0, 5.2, 2.3 } })
    local labels = Parallel.map({ 1, 2, 3, 4, 5, 6 }, function(n) return iris({ n, 3, n, 1 }).output.label end)
    local there, why = pcall(gone, { 1, 2, 3, 4 })
    local found = words("kettle")
    local meant = Parallel.map({ "warranty", "trains" }, function(query) return #meaning(query).evidence end)
    local said = seller("How long is the warranty?").output
    local parquet, excel, hdf5 = require("tactus.io.parquet"), require("tactus.io.excel"), require("tactus.io.hdf5")
    local people = parquet.read("people.parquet")
    hdf5.write("scores.h5", "of/people", { 1, 2, 3 })
    excel.write("people.xlsx", people)
    local ok, problem = pcall(excel.read, "people.parquet")
    local Bayes = require("tactus.models").NaiveBayesModel
    return {
      one = one, many = many[2].output.label, labels = labels, there = there, why = tostring(why),
      found = #found.evidence, meant = meant, said = said, people = #people, sets = hdf5.list("scores.h5"),
      read = ok, problem = tostring(problem), bayes = type(Bayes),
    }
  end,
}
