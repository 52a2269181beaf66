import type { ProcedureSource } from '../dist/contract/procedures/source.js';

function source(name: string, text: string): ProcedureSource {
  return { entry: `${name}.tac`, files: { [`${name}.tac`]: text } };
}

/** The same as `nativeSteps`. */
export function stepsProcedure(endpoint: string | null): ProcedureSource {
  const backend =
    endpoint === null ? 'type = "mock", value = {score = 0.5}' : `type = "http", endpoint = "${endpoint}"`;
  return source(
    'steps',
    `m = Model { ${backend} }
Procedure {
  input = { n = field.integer{required = true} },
  function(input)
    local sum = 0
    for i = 1, input.n do
      sum = sum + m({ i = i }).output.score
    end
    return sum
  end
}`,
  );
}

/** The same as `nativeSuspended`. */
export const suspendedProcedure = source(
  'suspended',
  `m = Model { type = "mock", value = {score = 0.5} }
Procedure { function(input)
  m({ i = 1 })
  return Human.approve("go on?")
end }`,
);

/** The same as `nativeOrder`. */
export const orderProcedure = source(
  'order',
  `Procedure {
  input = {
    steps = field.integer{required = true},
    pause = field.number{required = true},
    asks = field.boolean{required = true},
    endpoint = field.string{required = true},
  },
  function(input)
    local m = Model { type = "http", endpoint = input.endpoint }
    for i = 1, input.steps do
      if input.pause > 0 then Sleep(input.pause) end
      m({ i = i })
    end
    if not input.asks then return end
    Human.approve("go on?")
    m({ i = input.steps + 1 })
  end
}`,
);
