import type { Draft } from './share-link.js';

export interface Example extends Draft {
  name: string;
  title: string;
}

/** What the playground offers to begin with, the simplest first. Each file runs as it is. */
export const examples: readonly Example[] = [
  {
    name: 'joke',
    title: 'An agent, and a person who approves',
    input: '{"topic": "a cat"}',
    script: 'Why did the cat sit on the keyboard? To keep an eye on the mouse.',
    text: `comedian = Agent { system_prompt = "You tell very short jokes." }

Procedure {
  input = { topic = field.string { default = "a cat" } },
  function(input)
    local joke = comedian("Tell a joke about " .. input.topic .. ".").output
    print(joke)
    return { joke = joke, liked = Human.approve("Do you like this joke?") }
  end,
}
`,
  },
  {
    name: 'tool',
    title: 'A tool that the agent calls',
    input: '{"order": "A-7"}',
    script: '{"tool": "find_order", "arguments": {"id": "A-7"}}\nThe parcel is on its way.',
    text: `find_order = Tool {
  description = "Finds an order by its number",
  input = { id = field.string { required = true } },
  function(args)
    return { id = args.id, delivered = args.id ~= "A-7" }
  end,
}

clerk = Agent { system_prompt = "You answer questions about orders.", tools = { find_order } }

Procedure {
  input = { order = field.string { required = true } },
  function(input)
    return { answer = clerk("Where is order " .. input.order .. "?").output }
  end,
}
`,
  },
  {
    name: 'form',
    title: 'An answer in a form',
    input: '{}',
    script: '{"amount": 40, "reason": "never delivered"}',
    text: `clerk = Agent {
  system_prompt = "You decide about refunds.",
  output = {
    amount = field.number { required = true },
    reason = field.string { required = true },
  },
}

Procedure {
  function()
    local proposal = clerk("Order A-7 never came. I want my money back.").output
    if proposal.amount <= 20 then return { refunded = proposal.amount, by = "clerk" } end
    local agreed = Human.approve {
      message = "Refund " .. proposal.amount .. "?",
      context = { reason = proposal.reason },
    }
    return { refunded = agreed and proposal.amount or 0, by = "person" }
  end,
}
`,
  },
  {
    name: 'timeout',
    title: 'A request that nobody answers',
    input: '{}',
    script: '',
    text: `Procedure {
  function()
    -- Skip the time, or answer before it is over.
    local go = Human.approve { message = "Deploy version 42?", timeout = "3d", default = false }
    Sleep(3600)
    return { deployed = go }
  end,
}
`,
  },
  {
    name: 'branches',
    title: 'Three questions at once',
    input: '{"cities": ["Oslo", "Lima", "Cairo"]}',
    script: '',
    text: `guide = Agent { system_prompt = "You recommend one sight of a city." }

Procedure {
  input = { cities = field.array { default = { "Oslo" } } },
  function(input)
    local sights = Parallel.map(input.cities, function(city)
      return guide("What should I see in " .. city .. "?").output
    end)
    return { sights = sights }
  end,
}
`,
  },
  {
    name: 'choice',
    title: 'A person who chooses',
    input: '{}',
    script: '',
    text: `Procedure {
  function()
    local channel = Human.select { message = "Where do we publish?", options = { "blog", "newsletter" } }
    local title = Human.input { message = "With which title?" }
    state.title = title
    return { channel = channel, title = title }
  end,
}
`,
  },
  {
    name: 'saga',
    title: 'Parts that are taken back',
    input: '{}',
    script: '',
    text: `Procedure {
  function()
    local ok, problem = pcall(Saga, "trip", function(saga)
      for _, part in ipairs { "flight", "room" } do
        saga.add_compensation("cancel the " .. part, function() print("cancels the " .. part) end)
        checkpoint(function() return part .. " booked" end)
      end
      if not Human.approve("Go on this trip?") then error("nobody wants to go", 0) end
    end)
    return { booked = ok, reason = ok and "" or problem }
  end,
}
`,
  },
  {
    name: 'graph',
    title: 'A graph with a question',
    input: '{"question": "Why?"}',
    script: '',
    text: `main = Graph {
  channels = { question = true, notes = Graph.append, answer = Graph.last },
  entrypoint = "plan",
  nodes = {
    plan = function(state)
      return { next = { "web", "files" } }
    end,
    web = function(state)
      return { writes = { notes = { "seen on the web" } }, next = "answer" }
    end,
    files = function(state)
      return { writes = { notes = { "seen in files" } }, next = "answer" }
    end,
    answer = function(state)
      local said = Graph.interrupt("Send it? Answer with yes or no.", { notes = state.notes })
      return { writes = { answer = said == "yes" and "sent" or "kept" } }
    end,
  },
}
`,
  },
  {
    name: 'event',
    title: 'An event from outside',
    input: '{}',
    script: '',
    text: `Procedure {
  function()
    print("waits for the payment")
    local paid = Event.wait("paid", { timeout = "2d" })
    if paid == nil then return { shipped = false } end
    return { shipped = true, amount = paid.amount }
  end,
}
`,
  },
  {
    name: 'failure',
    title: 'A call that fails, and is caught',
    input: '{}',
    script: '',
    text: `Procedure {
  function()
    -- The playground has no network, so this fails. The failure is recorded like any result.
    local ok, problem = pcall(http_client.get, "https://shop.example/orders/A-7")
    if not ok then print("caught: " .. tostring(problem)) end
    return { state = ok and "known" or "unknown" }
  end,
}
`,
  },
];
