-- One translation, made by a person. It is started by translations.tac, and runs by itself just as well.

Procedure {
  input = {
    text = field.string{required = true},
    language = field.string{required = true},
  },
  output = {
    text = field.string{required = true},
  },
  function(input)
    local text = Human.input{
      message = "Please translate into " .. input.language,
      context = {text = input.text},
      timeout = "14d",
      default = input.text,
    }
    return {text = text}
  end,
}
