// The same types from CommonJS.
import stepglass = require("stepglass");

const machine = new stepglass.StateMachine("{}");
const running: stepglass.Execution = machine.start();

// The entry is the function itself, as in asl-validator.
import aslValidator = require("stepglass/asl-validator");
const result: aslValidator.AslValidatorResult = aslValidator({}, { checkPaths: true, checkArn: false });
const codes: string[] = result.errors.map((error) => error["Error code"]);
void codes;
export = running;
