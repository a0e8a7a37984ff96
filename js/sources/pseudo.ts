// What the command and the page know of CloudFormation's templates.

/** Where everything is, as long as nothing says otherwise. */
export const REGION = "us-east-1";
export const ACCOUNT = "123456789012";

/** Pseudo parameters: what every template can refer to. */
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

/** Whether a resource's Type is that of a state machine: CloudFormation's or SAM's. */
export function isStateMachine(type: unknown): boolean {
  return type === "AWS::StepFunctions::StateMachine" || type === "AWS::Serverless::StateMachine";
}

/** The machine's type in the properties of its resource: CloudFormation's name for it, or SAM's. */
export function typeOfMachine({ StateMachineType, Type }: Record<string, unknown>): unknown {
  return StateMachineType ?? Type;
}
