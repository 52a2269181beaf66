-- Tools of all classes, by the procedure and by an agent, with approvals.
charge = Tool { use = "host.charge" }
look = Tool { use = "host.look" }
keep = Tool { use = "host.keep" }

clerk = Agent { model = "openai/gpt-4o-mini", tools = { charge } }

Procedure {
  input = { ledger = field.string{required = true} },
  function(input)
    local ledger = input.ledger
    look({ ledger = ledger })
    charge({ ledger = ledger, cents = 1 })
    keep({ ledger = ledger })
    clerk("charge into " .. ledger)
    mcp.till.pay({ cents = 3 })
    return { charged = charge.call_count(), paid = mcp.till.pay.call_count() }
  end,
}
