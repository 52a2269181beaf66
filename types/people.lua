---@meta _
-- What people are asked. Each call waits, for weeks if need be, and is a checkpoint.

---What all requests have in common. `prompt` may be written for `message`.
---@class tactus.HumanRequest
---@field message? string What the person reads.
---@field prompt? string
---@field context? any What is shown beside it.
---@field timeout? tactus.Duration After it, the call gives the default.
---@field default? any
---@field default_on_timeout? any The same as `default`.
---@field config_key? string Fields that `Hitl` has declared under this name.
---@field approvers? string[]|string Who may answer; without it, everybody. `group:finance` stands for those whom configuration names.
---@field action_key? string Handed on to your page.
---@field resource_refs? any Handed on to your page.
---@field preconditions? any|(fun(): any) What the decision is bound to; shown. A function is asked before people are, and again when they have said yes: where it gives something else then, they are asked anew.
---@field expires_at? number|string No answer counts after it: seconds since 1970, or `"2027-01-31T12:00:00Z"`. Handed on to your page, too.
---@field response_schema? table JSON Schema that an answer must follow.
---@field ui_schema? table Handed on to your page.
---@field required? boolean An empty answer is none.
---@field label? string A short name, for where the message is too long.
---@field metadata? table Handed on to your page.
---@field on_timeout? "default"|"error" What the call does when the time is over: `"default"` without it.
---@field escalate_to? string|string[]|tactus.EscalationStage[] Who is asked besides when `timeout` is over, for as long again.
---@field channels? string[]|string By which channels people are told of it; without it, by those that configuration names. `{}`: by none.
---@field callback_url? string A URL that is told as well, where configuration allows its host.
---@field remind_every? tactus.Duration People are reminded by the channels that have told them, each time after so long: a minute at least, a hundred times at most.
---@field on_undelivered? "escalate" Where no channel can be reached, those of `escalate_to` are asked whose turn would be next.
---@field quorum? integer So many people must say the same; of an approval, the first no decides. For approvals, reviews and selections.
---@field requester? string Who asks, and may not decide; may take the request back.
---@field separation? boolean With `requester`; true says that there must be one.

---People who are asked besides when the time of those before is over.
---@class tactus.EscalationStage
---@field to string|string[]
---@field timeout? tactus.Duration Their own time; the last may have none, and then has that of the request.

---@class tactus.ApprovalRequest: tactus.HumanRequest
---@needs message|prompt|config_key
---@field default? boolean
---@field default_on_timeout? boolean

---@class tactus.InputRequest: tactus.HumanRequest
---@needs message|prompt|config_key
---@field options? tactus.Option[] One of these.
---@field placeholder? string What stands in the field before anything is typed.
---@field input_type? string As in HTML: `"number"`, `"email"`, `"date"` …
---@field multiline? boolean The field has several lines.

---@class tactus.ReviewRequest: tactus.HumanRequest
---@needs message|prompt|config_key
---@field artifact? any What is reviewed.
---@field artifact_type? string Such as `"markdown"`.
---@field options? tactus.Option[] Decisions; approve, reject and revise without it.

---@class tactus.SelectRequest: tactus.HumanRequest
---@needs message|prompt|config_key
---@needs options|config_key
---@field options? tactus.Option[]
---@field mode? "single"|"multiple"
---@field min? integer With `mode = "multiple"`: 1 without it.
---@field max? integer
---@field style? string Such as `"radio"`.

---@class tactus.UploadRequest: tactus.HumanRequest
---@needs message|prompt|config_key
---@field accept? string|string[] Such as `".pdf,.md"`, or `{ "image/*" }`.
---@field max_size? number|string Bytes, or a text such as `"10MB"`.
---@field multiple? boolean

---@class tactus.EscalationRequest: tactus.HumanRequest
---@needs message|prompt|config_key
---@field severity? "info"|"warning"|"error"|"critical"

---@class tactus.Notification: tactus.HumanRequest
---@needs message|prompt|config_key
---@field level? "debug"|"info"|"success"|"warn"|"warning"|"error"|"critical"

---@class tactus.CustomRequest: tactus.HumanRequest
---@needs message|prompt|config_key
---@field component_type string What your page shows.
---@field data? any
---@field actions? any

---One question among several.
---@class tactus.Question: tactus.InputRequest, tactus.ReviewRequest, tactus.SelectRequest, tactus.UploadRequest
---@needs label|message
---@field id string The name of its answer.
---@field label? string What stands beside it; with it, `message` may be left out.
---@field type? "approval"|"input"|"review"|"select"|"upload"
---@field required? boolean

---@class tactus.QuestionsRequest: tactus.HumanRequest
---@needs items|config_key
---@field items? tactus.Question[]

---One of what a person may choose. Without a value, its label is the value.
---@class tactus.Choice
---@needs value|label
---@field value? string|number
---@field label? string|number What is shown; the value without it.
---@field description? string
---@field type? string Such as `"action"`. Without effect, as people are shown all options alike.

---@alias tactus.Option string|number|tactus.Choice

---@class tactus.Review
---@field decision string One of the options.
---@field feedback? string
---@field edited_artifact? any

---Where an uploaded file lies. Its contents stay there.
---@class tactus.Upload
---@field name string
---@field path? string
---@field url? string
---@field size? integer
---@field type? string

---Asks people, and waits for their answer.
---```lua
---local ok = Human.approve{ message = "Deploy?", timeout = "24h", default = false }
---```
---@class tactus.HumanLibrary
Human = {}

---Yes or no.
---@param request string|tactus.ApprovalRequest
---@return boolean approved
---@effect human
function Human.approve(request) end

---A text, a number, or one of the options.
---@param request string|tactus.InputRequest
---@return any answer Nil where nobody answered in time, and there is no default.
---@effect human
function Human.input(request) end

---A decision on something that is shown.
---@param request string|tactus.ReviewRequest
---@return tactus.Review
---@effect human
function Human.review(request) end

---One of the options; with `mode = "multiple"`, a list of them.
---@param request tactus.SelectRequest
---@return any choice
---@effect human
function Human.select(request) end

---Several questions that are answered in one go.
---@param questions tactus.Question[]|tactus.QuestionsRequest
---@return table<string, any> answers By the ids of the questions.
---@effect human
function Human.multiple(questions) end

---`Human.multiple` by its old name.
---@param questions tactus.Question[]|tactus.QuestionsRequest
---@return table<string, any> answers
---@effect human
function Human.inputs(questions) end

---A file, or with `multiple = true` a list of files.
---@param request string|tactus.UploadRequest
---@return any upload A `tactus.Upload`, or a list of them.
---@effect human
function Human.upload(request) end

---Something that a person has to see to; goes on when one says that it is settled.
---@param request string|tactus.EscalationRequest
---@effect human
function Human.escalate(request) end

---A line of the log, which nobody has to answer.
---@param request string|tactus.Notification
---@effect notify
function Human.notify(request) end

---A component of your own page, which answers whatever it likes.
---@param request tactus.CustomRequest
---@return any answer
---@effect human
function Human.custom(request) end

---Declares fields of a request under a name, for calls with that `config_key`.
---```lua
---Hitl("deploy", { message = "Deploy?", timeout = "24h", default = false })
---local ok = Human.approve{ config_key = "deploy" }
---```
---@param key string|number
---@param fields tactus.HumanRequest|{ type?: string }
function Hitl(key, fields) end

---`Hitl` in the older dialect.
---```lua
---hitl("deploy", { message = "Deploy?" })
---```
---@param key string|number
---@param fields tactus.HumanRequest|{ type?: string }
function hitl(key, fields) end
