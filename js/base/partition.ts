// The partitions of AWS: a region belongs to one, which the ARNs of everything in it begin with.

/** Prefixes of regions by their partitions, as AWS's endpoint rules have them. */
const PARTITIONS: readonly [prefix: RegExp, partition: string, suffix: string][] = [
  [/^cn-/, "aws-cn", "amazonaws.com.cn"],
  [/^us-gov-/, "aws-us-gov", "amazonaws.com"],
  [/^us-iso-/, "aws-iso", "c2s.ic.gov"],
  [/^us-isob-/, "aws-iso-b", "sc2s.sgov.gov"],
  [/^eu-isoe-/, "aws-iso-e", "cloud.adc-e.uk"],
  [/^us-isof-/, "aws-iso-f", "csp.hci.ic.gov"],
  [/^eusc-/, "aws-eusc", "amazonaws.eu"],
];

/** The partition of a region: `aws-cn` of `cn-north-1`. */
export function partitionOf(region: string): string {
  return PARTITIONS.find(([prefix]) => prefix.test(region))?.[1] ?? "aws";
}

/** What the domain names of a region's services end with. */
export function domainOf(region: string): string {
  return PARTITIONS.find(([prefix]) => prefix.test(region))?.[2] ?? "amazonaws.com";
}
