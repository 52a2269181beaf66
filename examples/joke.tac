-- A model's answer is bought once: whoever kills this at the question, and resumes, is asked about the same joke.

comedian = Agent {
  system_prompt = "You tell very short jokes, in one sentence.",
  max_tokens = 40,
}

Procedure {
  input = { topic = field.string{default = "a cat"} },
  output = { joke = field.string{required = true}, liked = field.boolean{required = true} },
  function(input)
    local joke = comedian({message = "Tell a joke about " .. input.topic .. "."}).output
    print(joke)
    return {joke = joke, liked = Human.approve("Do you like this joke?")}
  end,
}
