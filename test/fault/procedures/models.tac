-- Models of every kind: a file that a worker loads, an endpoint, one of Python's, three of them together, and many inputs at once.
Procedure {
  input = { endpoint = field.string{required = true} },
  output = {
    sum = field.number{required = true},
    score = field.number{required = true},
    price = field.number{required = true},
    mean = field.number{required = true},
    sums = field.array{required = true},
    prices = field.array{required = true},
  },
  function(input)
    local patient = { delay = 0.1 }
    local sum = Model "sum" { type = "onnx", path = "logit.onnx", batch_size = 2, retry = patient }
    local score = Model "score" { type = "http", endpoint = input.endpoint, response = "score", retry = patient }
    local price = Model "price" { type = "python", batch_size = 2, retry = patient }
    local together = Model "together" {
      type = "ensemble", strategy = "average",
      members = {
        { type = "onnx", path = "logit.onnx", retry = patient },
        { type = "python", name = "price", retry = patient },
        { type = "mock", value = 3 },
      },
    }
    local outputs = function(answers)
      local list = {}
      for i, each in ipairs(answers) do list[i] = each.output end
      return list
    end
    return {
      sum = sum({ 1, 2, 3 }).output,
      score = score({ n = 3 }).output,
      price = price({ 1, 2, 3 }).output,
      mean = together({ 1, 2, 3 }).output,
      sums = outputs(sum.predict_batch({ { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 }, { 4, 0, 0 }, { 5, 0, 0 } })),
      prices = outputs(price.predict_batch({ { 1 }, { 2 }, { 3 } })),
    }
  end,
}
