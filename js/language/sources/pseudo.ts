// Facts about CloudFormation's templates that the command and the page share.

/** The default region. */
export const REGION = "us-east-1";
export const ACCOUNT = "123456789012";

/** Pseudo parameters, to which every template can refer. */
export const PSEUDO_PARAMETERS: Record<string, unknown> = {
  "AWS::AccountId": ACCOUNT,
  "AWS::NoValue": undefined,
  "AWS::NotificationARNs": [],
  "AWS::Partition": "aws",
  "AWS::Region": REGION,
  "AWS::StackId": `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/stack/1`,
  "AWS::StackName": "stack",
  "AWS::URLSuffix": "amazonaws.com",
};

/** Returns whether a resource's Type is a state machine of CloudFormation or SAM. */
export function isStateMachine(type: unknown): boolean {
  return type === "AWS::StepFunctions::StateMachine" || type === "AWS::Serverless::StateMachine";
}

/** Returns the machine's type in the properties of its resource, under CloudFormation's or SAM's name. */
export function typeOfMachine({ StateMachineType, Type }: Record<string, unknown>): unknown {
  return StateMachineType ?? Type;
}
