"""Starts executions with boto3, sixteen at once, and repeats each start until it is acknowledged.

Standard input has a line of JSON with name and input for each execution. The name of each started execution is printed.
"""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

endpoint, machine = sys.argv[1:]
sfn = boto3.client(
    "stepfunctions",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id="any",
    aws_secret_access_key="any",
    config=Config(retries={"max_attempts": 0}, max_pool_connections=16),
)
lock = threading.Lock()


def start(line):
    given = json.loads(line)
    while True:
        try:
            sfn.start_execution(stateMachineArn=machine, name=given["name"], input=given["input"])
            break
        except sfn.exceptions.ExecutionAlreadyExists:
            # An earlier attempt was stored but its response was lost, and the execution has ended meanwhile.
            break
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] < 500:
                raise
        except BotoCoreError:
            pass
        time.sleep(0.02)
    with lock:
        print(given["name"], flush=True)


with ThreadPoolExecutor(16) as pool:
    list(pool.map(start, sys.stdin))
