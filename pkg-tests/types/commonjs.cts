// The same from CommonJS.
import stepglass = require("stepglass");

const machine = new stepglass.StateMachine("{}");
const running: stepglass.Execution = machine.start();
export = running;
