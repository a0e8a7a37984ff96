// The short forms of CloudFormation's functions in YAML: `!Sub`, `!GetAtt`.

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
 * The short forms as YAML tags that stand for the long forms. They are made for the first text in YAML, because they need the package
 * that reads it, which is loaded only then.
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
