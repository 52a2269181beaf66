-- The smallest procedure that waits for a person: for a minute or for three weeks, whatever happens to the machine.

function main()
  print("Ready to deploy")
  local approved = Human.approve({message = "Deploy version 42?", context = {environment = "production"}})
  print(approved and "Deploying" or "Left as it is")
  return {approved = approved}
end
