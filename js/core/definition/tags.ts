// The short forms of CloudFormation's intrinsic functions in YAML: `!Sub`, `!GetAtt`.

import { YAMLMap, YAMLSeq, type Tags } from "yaml";

const TAGS = [
  "Ref",
  "Condition",
  "And",
  "Base64",
  "Cidr",
  "Equals",
  "FindInMap",
  "GetAtt",
  "GetAZs",
  "If",
  "ImportValue",
  "Join",
  "Not",
  "Or",
  "Select",
  "Split",
  "Sub",
  "ToJsonString",
  "Transform",
];

let tags: Tags | undefined;

/**
 * Returns the short forms as YAML tags that become the long forms. They are created for the first YAML text, because they need the
 * package that parses YAML, which is loaded only then.
 */
export function intrinsicTags(): Tags {
  return (tags ??= TAGS.flatMap(tagsOf));
}

function tagsOf(name: string): Tags {
  const key = name === "Ref" || name === "Condition" ? name : `Fn::${name}`;
  class LongSeq extends YAMLSeq {
    override toJSON(...args: Parameters<YAMLSeq["toJSON"]>) {
      return { [key]: super.toJSON(...args) } as unknown as unknown[];
    }
  }
  class LongMap extends YAMLMap {
    override toJSON(...args: Parameters<YAMLMap["toJSON"]>): unknown {
      return { [key]: super.toJSON(...args) };
    }
  }
  return [
    { tag: `!${name}`, resolve: (text: string) => ({ [key]: name === "GetAtt" ? text.split(/\.(.*)/s).slice(0, 2) : text }) },
    { tag: `!${name}`, collection: "seq", nodeClass: LongSeq },
    { tag: `!${name}`, collection: "map", nodeClass: LongMap },
  ];
}
