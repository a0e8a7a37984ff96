// The partitions of AWS. Every region belongs to one, and the ARNs of everything in the region contain its name.

/** Prefixes of regions by partition, as in AWS's endpoint rules. */
const PARTITIONS: readonly [prefix: RegExp, partition: string, suffix: string][] = [
  [/^cn-/, "aws-cn", "amazonaws.com.cn"],
  [/^us-gov-/, "aws-us-gov", "amazonaws.com"],
  [/^us-iso-/, "aws-iso", "c2s.ic.gov"],
  [/^us-isob-/, "aws-iso-b", "sc2s.sgov.gov"],
  [/^eu-isoe-/, "aws-iso-e", "cloud.adc-e.uk"],
  [/^us-isof-/, "aws-iso-f", "csp.hci.ic.gov"],
  [/^eusc-/, "aws-eusc", "amazonaws.eu"],
];

/** Returns the partition of a region: `aws-cn` for `cn-north-1`. */
export function partitionOf(region: string): string {
  return PARTITIONS.find(([prefix]) => prefix.test(region))?.[1] ?? "aws";
}

/** Returns the suffix of the domain names of a region's services. */
export function domainOf(region: string): string {
  return PARTITIONS.find(([prefix]) => prefix.test(region))?.[2] ?? "amazonaws.com";
}
