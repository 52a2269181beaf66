---@meta _
-- Requests over HTTP.

---What is sent with a request.
---@class tactus.HttpOptions
---@field headers? table<string, string|number|boolean|tactus.Secret>
---@field params? table The query: `{ page = 2 }`; a list is a name with several values.
---@field json? any Sent as JSON.
---@field body? string Sent as it is; not together with `json`.
---@field timeout? tactus.Duration Of one attempt; 30 seconds without it.
---@field retries? integer How often it is sent again where there is no answer, or 429 or a status from 500 on: never without it. Not of `POST` and `PATCH`.
---@field retry? tactus.RetryPolicy The same, with the waits in between.

---A value that the worker puts in, from its environment. It never reaches a log.
---@class tactus.Secret
---@field secret string The name of the variable.
---@field prefix? string What stands before it: `"Bearer "`.

---What was answered.
---@class tactus.HttpResponse
---@field status integer
---@field ok boolean Whether the status is one from 200 to 299.
---@field headers table<string, string> Names in lower case.
---@field body string
---@field json? any The body as a value, where it is JSON.

---What holds for all requests of a client.
---@class tactus.HttpClientConfig
---@field base_url? string What paths are below; without it, whole URLs are asked for.
---@field headers? table<string, string|number|boolean|tactus.Secret>
---@field timeout? tactus.Duration
---@field retries? integer Of all its requests but `POST` and `PATCH`.
---@field retry? tactus.RetryPolicy

---@class tactus.HttpClient
---@field get fun(path: string, options?: tactus.HttpOptions): tactus.HttpResponse
---@field post fun(path: string, options?: tactus.HttpOptions): tactus.HttpResponse
---@field put fun(path: string, options?: tactus.HttpOptions): tactus.HttpResponse
---@field patch fun(path: string, options?: tactus.HttpOptions): tactus.HttpResponse
---@field delete fun(path: string, options?: tactus.HttpOptions): tactus.HttpResponse
---@field request fun(method: string, path: string, options?: tactus.HttpOptions): tactus.HttpResponse

---Requests over HTTP. Each is a checkpoint: what was answered is not sent again. Whatever is answered is handed to the
---procedure, whatever its status; no answer at all is an error. Called with a table, it gives a client.
---```lua
---local api = http_client { base_url = "https://api.example", headers = { authorization = { secret = "API_KEY" } } }
---local orders = api.get("/orders", { params = { open = true } }).json
---```
---@class tactus.HttpLibrary
---@overload fun(config: tactus.HttpClientConfig): tactus.HttpClient
http_client = {}

---```lua
---local answer = http_client.get("https://api.example/orders")
---```
---@param url string
---@param options? tactus.HttpOptions
---@return tactus.HttpResponse
---@effect http
function http_client.get(url, options) end

---@param url string
---@param options? tactus.HttpOptions
---@return tactus.HttpResponse
---@effect http
function http_client.post(url, options) end

---@param url string
---@param options? tactus.HttpOptions
---@return tactus.HttpResponse
---@effect http
function http_client.put(url, options) end

---@param url string
---@param options? tactus.HttpOptions
---@return tactus.HttpResponse
---@effect http
function http_client.patch(url, options) end

---@param url string
---@param options? tactus.HttpOptions
---@return tactus.HttpResponse
---@effect http
function http_client.delete(url, options) end

---A request by any method: also `"HEAD"` and `"OPTIONS"`.
---@param method string
---@param url string
---@param options? tactus.HttpOptions
---@return tactus.HttpResponse
---@effect http
function http_client.request(method, url, options) end

---The clients that procedures declare.
---```lua
---Procedure {
---  dependencies = { api = { type = "http_client", base_url = "https://api.example" } },
---  function() return dependencies.api.get("/orders").json end,
---}
---```
---@type table<string, tactus.HttpClient>
dependencies = {}
