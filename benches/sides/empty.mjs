// No engine: the loop that any driver of Tasks has. Each handler gets a copy of what the one before it gave, a promise is waited for,
// and the answer is written as JSON. What a case costs here, no interpreter can do without.
export const versions = () => ({ package: "none", node: process.versions.node });

export const prepare = ({ definition, input, failures = 0 }) => ({ names: Object.keys(definition.States), input, failures });

export async function run({ names, input, failures }, handlers) {
  let text = JSON.stringify(input);
  let value = input;
  for (const name of names) {
    for (let attempt = 0; attempt <= failures; attempt++) {
      try {
        value = await handlers[name](copy(value));
      } catch (error) {
        JSON.stringify({ errorType: error.name, errorMessage: error.message, trace: error.stack.split("\n") });
        continue;
      }
      const answer = JSON.stringify(value);
      if (answer !== text) text = answer;
    }
  }
  return value;
}

function copy(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const members = { ...value };
  for (const name in members) members[name] = copy(members[name]);
  return members;
}
