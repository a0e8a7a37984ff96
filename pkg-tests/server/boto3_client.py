"""Uses boto3 as a program does, against the given endpoint. Prints the name of each check that passed, one a line."""

import json
import sys
import threading
import time

import boto3
from botocore.config import Config

endpoint = sys.argv[1]
sfn = boto3.client(
    "stepfunctions",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id="any",
    aws_secret_access_key="any",
    config=Config(inject_host_prefix=False, retries={"max_attempts": 0}),
)
ROLE = "arn:aws:iam::123456789012:role/StepFunctions"


def create(name, states, **more):
    definition = json.dumps({"StartAt": next(iter(states)), "States": states})
    return sfn.create_state_machine(name=name, definition=definition, roleArn=ROLE, **more)["stateMachineArn"]


def ended(arn):
    for _ in range(1000):
        about = sfn.describe_execution(executionArn=arn)
        if about["status"] != "RUNNING":
            return about
        time.sleep(0.01)
    raise AssertionError(f"{arn} does not end")


def check(name, holds):
    assert holds, name
    print(name)


arn = create("Boto", {"Double": {"Type": "Task", "Resource": "arn:aws:lambda:us-east-1:123456789012:function:double", "End": True}})
started = sfn.start_execution(stateMachineArn=arn, name="one", input='{"n": 21}')
check("times are datetimes", started["startDate"].tzinfo is not None)
about = ended(started["executionArn"])
check("an execution succeeds", about["status"] == "SUCCEEDED" and json.loads(about["output"]) == {"n": 42})
check("no redrive of what succeeded", about["redriveStatus"] == "NOT_REDRIVABLE")
pages = sfn.get_paginator("get_execution_history").paginate(executionArn=about["executionArn"], PaginationConfig={"PageSize": 3})
events = [event for page in pages for event in page["events"]]
check("the history is paged", [event["id"] for event in events] == list(range(1, 8)) and events[-1]["type"] == "ExecutionSucceeded")
check("event times are datetimes", events[0]["timestamp"].year > 2000)

for i in range(5):
    ended(sfn.start_execution(stateMachineArn=arn, input=json.dumps({"n": i}))["executionArn"])
executions = [one for page in sfn.get_paginator("list_executions").paginate(stateMachineArn=arn, PaginationConfig={"PageSize": 2}) for one in page["executions"]]
check("executions are paged", len(executions) == 6 and executions[-1]["name"] == "one")

try:
    sfn.start_execution(stateMachineArn=arn, name="one", input="{}")
except sfn.exceptions.ExecutionAlreadyExists as error:
    check("errors are classes", error.response["Error"]["Code"] == "ExecutionAlreadyExists" and error.response["ResponseMetadata"]["HTTPStatusCode"] == 400)
try:
    create("Bad", {"A": {"Type": "Pass"}})
except sfn.exceptions.InvalidDefinition as error:
    check("a bad definition is explained", "SCHEMA_VALIDATION_FAILED" in str(error))

quick = create("BotoQuick", {"A": {"Type": "Pass", "End": True}}, type="EXPRESS")
sync = sfn.start_sync_execution(stateMachineArn=quick, input='{"a":1}')
check("sync executions answer", sync["status"] == "SUCCEEDED" and sync["output"] == '{"a":1}' and sync["billingDetails"]["billedMemoryUsedInMB"] == 64)

activity = sfn.create_activity(name="BotoReview")["activityArn"]
asked = create("BotoAsked", {"Ask": {"Type": "Task", "Resource": activity, "End": True}})
got = {}
poll = threading.Thread(target=lambda: got.update(sfn.get_activity_task(activityArn=activity, workerName="boto")))
poll.start()
waiting = sfn.start_execution(stateMachineArn=asked, input="[1]")["executionArn"]
poll.join(20)
sfn.send_task_heartbeat(taskToken=got["taskToken"])
sfn.send_task_success(taskToken=got["taskToken"], output='"done"')
check("activities are polled", got["input"] == "[1]" and ended(waiting)["output"] == '"done"')

tested = sfn.test_state(definition='{"Type":"Pass","Result":3,"End":true}', inspectionLevel="DEBUG")
check("states are tested", tested["status"] == "SUCCEEDED" and tested["output"] == "3")
check("definitions are validated", sfn.validate_state_machine_definition(definition="{}")["result"] == "FAIL")

version = sfn.publish_state_machine_version(stateMachineArn=arn)["stateMachineVersionArn"]
alias = sfn.create_state_machine_alias(name="live", routingConfiguration=[{"stateMachineVersionArn": version, "weight": 100}])["stateMachineAliasArn"]
check("versions and aliases run", ended(sfn.start_execution(stateMachineArn=alias, input='{"n": 1}')["executionArn"])["stateMachineVersionArn"] == version)
sfn.tag_resource(resourceArn=arn, tags=[{"key": "a", "value": "b"}])
check("tags are kept", sfn.list_tags_for_resource(resourceArn=arn)["tags"] == [{"key": "a", "value": "b"}])
