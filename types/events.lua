---@meta _
-- What others send to a run: a payment that came in, a build that has ended.

---Which event is waited for, and for how long.
---@class tactus.EventOptions
---@field timeout? tactus.Duration After it, the call gives nil and `"timed_out"`.
---@field match? table Fields that the event's value must have: `{ order = "A-7" }`. Others are left for other waits.
---@field schema? tactus.Fields|tactus.Field What the value must be. One that is something else is given to nobody else, and is an error with the code `input_invalid`, which can be caught.

---Events that others send to the run, by a signal or `tactus-temporal send`. Those that come before they are waited for
---are kept, up to 1,000 and 500 KB of them. Each is given once, in the order in which they came.
---```lua
---local payment, why = Event.wait("paid", { timeout = "3d", match = { order = "A-7" } })
---if payment == nil then error("no payment: " .. why) end
---```
---@class tactus.EventLibrary
Event = {}

---The value of the next event of a name. Waits until there is one.
---@param name string
---@param options? tactus.EventOptions
---@return any value
---@return "timed_out"|nil why
---@effect event
function Event.wait(name, options) end
