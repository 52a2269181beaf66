-- Starts a run for each language and goes on meanwhile. Each of them is a run of its own, with its own log, that asks
-- people by itself; this one takes what comes first, and then the rest.

Procedure {
  input = {
    text = field.string{default = "The shop opens at nine."},
    not_before = field.string{default = "2020-01-01T09:00:00Z", description = "ISO 8601 with a time zone"},
  },
  output = {
    first = field.string{required = true},
    texts = field.object{required = true},
    sent = field.boolean{required = true},
  },
  function(input)
    local languages = {"German", "French", "Dutch"}
    local handles, language_of = {}, {}
    for i, language in ipairs(languages) do
      handles[i] = Procedure.spawn("translation.tac", {text = input.text, language = language})
      language_of[handles[i]] = language
    end

    local first = language_of[Procedure.wait_any(handles)]
    print("First came " .. first)

    -- A handle is a text: it could as well be kept in the state, or waited for by another run.
    local children = {}
    for i, handle in ipairs(handles) do children[i] = {id = handle} end
    local all = Procedure.await_children{children = children, mode = "all"}

    local texts = {}
    for _, child in ipairs(all.children) do
      texts[language_of[child.id]] = child.status == "completed" and child.output.text or child.error
    end

    Procedure.defer{key = "opening", resume_at = input.not_before, reason = "Nothing is sent before the shop opens"}
    return {first = first, texts = texts, sent = true}
  end,
}
