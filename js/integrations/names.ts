// How Step Functions writes the names of AWS's models. It calls services through the AWS SDK for Java 2, and so has its names:
// a run of capitals at the beginning becomes lower case, up to the capital that begins the next word.

/** The name of a Java method: `DescribeDBInstances` is `describeDBInstances`, `DBInstanceIdentifier` `dbInstanceIdentifier`. */
export function camelCased(name: string): string {
  const run = /^[A-Z]+(?![a-z])|^[A-Z]/.exec(name)?.[0] ?? "";
  return run.toLowerCase() + name.slice(run.length);
}

/** The name of a parameter or of a member of a response, which begins with a capital: `DbInstanceIdentifier`. */
export function memberName(name: string): string {
  const camel = camelCased(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The service of a Resource, `aws-sdk:cognitoidentityprovider:…`, from the `serviceId` of its model. */
export function serviceName(serviceId: string): string {
  return serviceId
    .replace(/^(Amazon|AWS) /, "")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/service$/, "");
}
