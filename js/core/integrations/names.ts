// Converts the names of AWS's models to those of Step Functions. It calls services through the AWS SDK for Java 2, and so uses its
// names: capitals at the beginning become lower case, up to the capital that begins the next word.

/**
 * Returns the name of a Java method: `describeDBInstances` for `DescribeDBInstances`, `dbInstanceIdentifier` for
 * `DBInstanceIdentifier`.
 */
export function camelCased(name: string): string {
  const run = /^[A-Z]+(?![a-z])|^[A-Z]/.exec(name)?.[0] ?? "";
  return run.toLowerCase() + name.slice(run.length);
}

/** Returns the name of a parameter or of a member of a response, which begins with a capital: `DbInstanceIdentifier`. */
export function memberName(name: string): string {
  const camel = camelCased(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** Returns the service of a Resource, `aws-sdk:cognitoidentityprovider:…`, from the `serviceId` of its model. */
export function serviceName(serviceId: string): string {
  return serviceId
    .replace(/^(Amazon|AWS) /, "")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/service$/, "");
}
