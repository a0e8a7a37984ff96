"""Reads the events and logs of executions that an emulator of EventBridge and CloudWatch Logs has received.

python boto3_published.py prepare ENDPOINT    creates a queue and a rule that sends the events of failed executions to it
python boto3_published.py read ENDPOINT       prints the received events and logs as JSON
"""

import json
import sys

import boto3

_, action, endpoint = sys.argv


def client(service):
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )


sqs = client("sqs")
if action == "prepare":
    queue = sqs.create_queue(QueueName="failures")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events = client("events")
    pattern = {
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"status": ["FAILED"]},
    }
    events.put_rule(Name="failures", EventPattern=json.dumps(pattern))
    events.put_targets(Rule="failures", Targets=[{"Id": "queue", "Arn": arn}])
else:
    queue = sqs.get_queue_url(QueueName="failures")["QueueUrl"]
    messages = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])
    logs = client("logs")
    streams = logs.describe_log_streams(logGroupName="/states/orders")["logStreams"]
    entries = [
        event
        for stream in streams
        for event in logs.get_log_events(
            logGroupName="/states/orders", logStreamName=stream["logStreamName"], startFromHead=True
        )["events"]
    ]
    found = {
        "events": [json.loads(message["Body"]) for message in messages],
        "streams": [stream["logStreamName"] for stream in streams],
        "logs": [json.loads(entry["message"]) for entry in entries],
        "times": [entry["timestamp"] for entry in entries],
    }
    print(json.dumps(found))
