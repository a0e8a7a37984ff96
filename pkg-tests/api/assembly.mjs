// The output of cdk synth of aws-cdk-lib 2 for two stacks, a nested stack and a stage, without roles and policies.
/** The files of the folder by path. A string is written as it is, any other value as JSON. */
export const assembly = {
  "manifest.json": {
    version: "55.0.0",
    artifacts: {
      "assembly-Prod": {
        type: "cdk:cloud-assembly",
        properties: {
          directoryName: "assembly-Prod",
          displayName: "Prod",
        },
      },
      "Shop.assets": {
        type: "cdk:asset-manifest",
        properties: {
          file: "Shop.assets.json",
          requiresBootstrapStackVersion: 6,
          bootstrapStackVersionSsmParameter: "/cdk-bootstrap/hnb659fds/version",
        },
      },
      Shop: {
        type: "aws:cloudformation:stack",
        environment: "aws://unknown-account/unknown-region",
        properties: {
          templateFile: "Shop.template.json",
        },
        dependencies: ["Shop.assets"],
        displayName: "Shop",
      },
      "Other.assets": {
        type: "cdk:asset-manifest",
        properties: {
          file: "Other.assets.json",
          requiresBootstrapStackVersion: 6,
          bootstrapStackVersionSsmParameter: "/cdk-bootstrap/hnb659fds/version",
        },
      },
      Other: {
        type: "aws:cloudformation:stack",
        environment: "aws://unknown-account/unknown-region",
        properties: {
          templateFile: "Other.template.json",
        },
        dependencies: ["Shop", "Other.assets"],
        displayName: "Other",
      },
    },
  },
  "assembly-Prod/manifest.json": {
    version: "55.0.0",
    artifacts: {
      "ProdShop82526E42.assets": {
        type: "cdk:asset-manifest",
        properties: {
          file: "ProdShop82526E42.assets.json",
          requiresBootstrapStackVersion: 6,
          bootstrapStackVersionSsmParameter: "/cdk-bootstrap/hnb659fds/version",
        },
      },
      ProdShop82526E42: {
        type: "aws:cloudformation:stack",
        environment: "aws://111122223333/eu-west-1",
        properties: {
          templateFile: "ProdShop82526E42.template.json",
          stackName: "Prod-Shop",
        },
        dependencies: ["ProdShop82526E42.assets"],
        displayName: "Prod/Shop",
      },
    },
  },
  "Shop.template.json": {
    Resources: {
      ChargeEC431097: {
        Type: "AWS::Lambda::Function",
        Properties: {
          Handler: "index.handler",
          Runtime: "nodejs22.x",
        },
      },
      Queue4A7E3555: {
        Type: "AWS::SQS::Queue",
      },
      TableCD117FA1: {
        Type: "AWS::DynamoDB::Table",
        Properties: {
          AttributeDefinitions: [
            {
              AttributeName: "id",
              AttributeType: "S",
            },
          ],
          KeySchema: [
            {
              AttributeName: "id",
              KeyType: "HASH",
            },
          ],
          ProvisionedThroughput: {
            ReadCapacityUnits: 5,
            WriteCapacityUnits: 5,
          },
        },
      },
      OrdersA9B65338: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: {
            "Fn::Join": [
              "",
              [
                '{"StartAt":"Charge it","States":{"Charge it":{"Next":"Tell","Retry":[{"ErrorEquals":["Lambda.ClientExecutionTimeoutException","Lambda.ServiceException","Lambda.AWSLambdaException","Lambda.SdkClientException"],"IntervalSeconds":2,"MaxAttempts":6,"BackoffRate":2}],"Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::lambda:invoke","Parameters":{"FunctionName":"',
                {
                  "Fn::GetAtt": ["ChargeEC431097", "Arn"],
                },
                '","Payload.$":"$"}},"Tell":{"Next":"Put","Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::sqs:sendMessage","Parameters":{"QueueUrl":"',
                {
                  Ref: "Queue4A7E3555",
                },
                '","MessageBody.$":"$"}},"Put":{"Next":"Nap","Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::dynamodb:putItem","Parameters":{"Item":{"id":{"S":"1"}},"TableName":"',
                {
                  Ref: "TableCD117FA1",
                },
                '"}},"Nap":{"Type":"Wait","Seconds":',
                {
                  Ref: "Delay",
                },
                ',"End":true}}}',
              ],
            ],
          },
        },
      },
      Filed045ADEC8: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionS3Location: {
            Bucket: {
              "Fn::Sub": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}",
            },
            Key: "f52d6f6360a48eb9f0e77298d5d4bea3.json",
          },
          DefinitionSubstitutions: {
            ChargeArn: {
              "Fn::GetAtt": ["ChargeEC431097", "Arn"],
            },
            Timeout: "30",
          },
          StateMachineType: "EXPRESS",
        },
      },
      StringedFA37167D: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"${ChargeArn}","End":true}}}',
          DefinitionSubstitutions: {
            ChargeArn: {
              "Fn::GetAtt": ["ChargeEC431097", "Arn"],
            },
          },
        },
      },
      NestNestedStackNestNestedStackResourceD8FE4395: {
        Type: "AWS::CloudFormation::Stack",
        Properties: {
          Parameters: {
            referencetoShopCharge99665515Arn: {
              "Fn::GetAtt": ["ChargeEC431097", "Arn"],
            },
          },
          TemplateURL: {
            "Fn::Join": [
              "",
              [
                "https://s3.",
                {
                  Ref: "AWS::Region",
                },
                ".",
                {
                  Ref: "AWS::URLSuffix",
                },
                "/",
                {
                  "Fn::Sub": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}",
                },
                "/ac8ef49d6bbe73296acbc61f3a16dbfc.json",
              ],
            ],
          },
        },
      },
    },
    Parameters: {
      Delay: {
        Type: "Number",
        Default: 5,
      },
    },
    Outputs: {
      ExportsOutputFnGetAttChargeEC431097ArnA0707EA9: {
        Value: {
          "Fn::GetAtt": ["ChargeEC431097", "Arn"],
        },
        Export: {
          Name: "Shop:ExportsOutputFnGetAttChargeEC431097ArnA0707EA9",
        },
      },
    },
  },
  "Other.template.json": {
    Resources: {
      OrdersA9B65338: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: {
            "Fn::Join": [
              "",
              [
                '{"StartAt":"Charge remote","States":{"Charge remote":{"End":true,"Retry":[{"ErrorEquals":["Lambda.ClientExecutionTimeoutException","Lambda.ServiceException","Lambda.AWSLambdaException","Lambda.SdkClientException"],"IntervalSeconds":2,"MaxAttempts":6,"BackoffRate":2}],"Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::lambda:invoke","Parameters":{"FunctionName":"',
                {
                  "Fn::ImportValue": "Shop:ExportsOutputFnGetAttChargeEC431097ArnA0707EA9",
                },
                '","Payload.$":"$"}}}}',
              ],
            ],
          },
          StateMachineName: "other-orders",
        },
      },
    },
    Parameters: {},
  },
  "ShopNest8F166D65.nested.template.json": {
    Resources: {
      Inner09E1DD49: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: {
            "Fn::Join": [
              "",
              [
                '{"StartAt":"Charge nested","States":{"Charge nested":{"End":true,"Retry":[{"ErrorEquals":["Lambda.ClientExecutionTimeoutException","Lambda.ServiceException","Lambda.AWSLambdaException","Lambda.SdkClientException"],"IntervalSeconds":2,"MaxAttempts":6,"BackoffRate":2}],"Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::lambda:invoke","Parameters":{"FunctionName":"',
                {
                  Ref: "referencetoShopCharge99665515Arn",
                },
                '","Payload.$":"$"}}}}',
              ],
            ],
          },
        },
      },
    },
    Parameters: {
      referencetoShopCharge99665515Arn: {
        Type: "String",
      },
    },
  },
  "assembly-Prod/ProdShop82526E42.template.json": {
    Resources: {
      ChargeEC431097: {
        Type: "AWS::Lambda::Function",
        Properties: {
          Handler: "index.handler",
          Runtime: "nodejs22.x",
        },
      },
      Queue4A7E3555: {
        Type: "AWS::SQS::Queue",
      },
      TableCD117FA1: {
        Type: "AWS::DynamoDB::Table",
        Properties: {
          AttributeDefinitions: [
            {
              AttributeName: "id",
              AttributeType: "S",
            },
          ],
          KeySchema: [
            {
              AttributeName: "id",
              KeyType: "HASH",
            },
          ],
          ProvisionedThroughput: {
            ReadCapacityUnits: 5,
            WriteCapacityUnits: 5,
          },
        },
      },
      OrdersA9B65338: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: {
            "Fn::Join": [
              "",
              [
                '{"StartAt":"Charge it","States":{"Charge it":{"Next":"Tell","Retry":[{"ErrorEquals":["Lambda.ClientExecutionTimeoutException","Lambda.ServiceException","Lambda.AWSLambdaException","Lambda.SdkClientException"],"IntervalSeconds":2,"MaxAttempts":6,"BackoffRate":2}],"Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::lambda:invoke","Parameters":{"FunctionName":"',
                {
                  "Fn::GetAtt": ["ChargeEC431097", "Arn"],
                },
                '","Payload.$":"$"}},"Tell":{"Next":"Put","Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::sqs:sendMessage","Parameters":{"QueueUrl":"',
                {
                  Ref: "Queue4A7E3555",
                },
                '","MessageBody.$":"$"}},"Put":{"Next":"Nap","Type":"Task","Resource":"arn:',
                {
                  Ref: "AWS::Partition",
                },
                ':states:::dynamodb:putItem","Parameters":{"Item":{"id":{"S":"1"}},"TableName":"',
                {
                  Ref: "TableCD117FA1",
                },
                '"}},"Nap":{"Type":"Wait","Seconds":',
                {
                  Ref: "Delay",
                },
                ',"End":true}}}',
              ],
            ],
          },
        },
      },
      Filed045ADEC8: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionS3Location: {
            Bucket: "cdk-hnb659fds-assets-111122223333-eu-west-1",
            Key: "f52d6f6360a48eb9f0e77298d5d4bea3.json",
          },
          DefinitionSubstitutions: {
            ChargeArn: {
              "Fn::GetAtt": ["ChargeEC431097", "Arn"],
            },
            Timeout: "30",
          },
          StateMachineType: "EXPRESS",
        },
      },
      StringedFA37167D: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"${ChargeArn}","End":true}}}',
          DefinitionSubstitutions: {
            ChargeArn: {
              "Fn::GetAtt": ["ChargeEC431097", "Arn"],
            },
          },
        },
      },
    },
    Parameters: {
      Delay: {
        Type: "Number",
        Default: 5,
      },
    },
  },
  "Shop.assets.json": {
    version: "55.0.0",
    files: {
      fdf33fa4674fab621d20f9f96e6feb62: {
        displayName: "Charge/Code",
        source: {
          path: "asset.fdf33fa4674fab621d20f9f96e6feb62",
          packaging: "zip",
        },
        destinations: {},
      },
      f52d6f6360a48eb9f0e77298d5d4bea3: {
        displayName: "Filed/DefinitionBody",
        source: {
          path: "asset.f52d6f6360a48eb9f0e77298d5d4bea3.json",
          packaging: "file",
        },
        destinations: {},
      },
      ac8ef49d6bbe73296acbc61f3a16dbfc: {
        displayName: "Nest Nested Stack Template",
        source: {
          path: "ShopNest8F166D65.nested.template.json",
          packaging: "file",
        },
        destinations: {},
      },
      "7ac74041e05e79d7bd86a6a9426a7dd38769daaba24c1027a46784f273b38a22": {
        displayName: "Shop Template",
        source: {
          path: "Shop.template.json",
          packaging: "file",
        },
        destinations: {},
      },
    },
    dockerImages: {},
  },
  "assembly-Prod/ProdShop82526E42.assets.json": {
    version: "55.0.0",
    files: {
      fdf33fa4674fab621d20f9f96e6feb62: {
        displayName: "Charge/Code",
        source: {
          path: "../asset.fdf33fa4674fab621d20f9f96e6feb62",
          packaging: "zip",
        },
        destinations: {},
      },
      f52d6f6360a48eb9f0e77298d5d4bea3: {
        displayName: "Filed/DefinitionBody",
        source: {
          path: "../asset.f52d6f6360a48eb9f0e77298d5d4bea3.json",
          packaging: "file",
        },
        destinations: {},
      },
      "2d47b17ffae057f85e381ee7b2f7bd97dcca9514433380148c37f218858e765a": {
        displayName: "Prod-Shop Template",
        source: {
          path: "ProdShop82526E42.template.json",
          packaging: "file",
        },
        destinations: {},
      },
    },
    dockerImages: {},
  },
  "asset.f52d6f6360a48eb9f0e77298d5d4bea3.json":
    '{\n  "StartAt": "Charge",\n  "States": {\n    "Charge": { "Type": "Task", "Resource": "${ChargeArn}", "TimeoutSeconds": ${Timeout}, "End": true }\n  }\n}\n',
};
