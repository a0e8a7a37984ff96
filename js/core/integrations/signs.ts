// Icons of the services that tasks call, as path data in a square of 20, stroked like those of the state types. They were drawn for
// this project under its licence, from plain shapes: nothing is taken from the icons of AWS or of anybody else.

const CUBE = "M10 2.5L16.5 6.2V13.8L10 17.5L3.5 13.8V6.2Z";
const DRUM = "M16 5.3Q16 8 10 8Q4 8 4 5.3Q4 2.5 10 2.5Q16 2.5 16 5.3V14.7Q16 17.5 10 17.5Q4 17.5 4 14.7V5.3";
const DOTS = "M10 2.5A2.2 2.2 0 1 1 9.99 2.5ZM4.7 13A2.2 2.2 0 1 1 4.69 13ZM15.3 13A2.2 2.2 0 1 1 15.29 13Z";

/** The services of each icon, then the icon. */
const SIGNS: readonly (readonly [services: string, path: string])[] = [
  ["lambda", "M6 3H8.5L14.5 17H17M10.4 8L5 17"],
  ["dynamodb", `${DRUM}M4 10Q4 12.7 10 12.7Q16 12.7 16 10`],
  ["rds rdsdata redshift redshiftdata docdb timestreamquery timestreamwrite", DRUM],
  ["s3 s3control", "M3 4.5H17L15 17H5ZM4 9.5H16"],
  ["sqs", "M2.5 6H17.5V14H2.5ZM7.5 6V14M12.5 6V14"],
  ["sns", "M3 8H6L13 4V16L6 12H3ZM16 7.5Q17.5 10 16 12.5"],
  ["events eventbridge scheduler pipes", "M10 7.5A2.5 2.5 0 1 1 9.99 7.5ZM3 3L8.2 8.2M17 3L11.8 8.2M3 17L8.2 11.8M17 17L11.8 11.8"],
  ["states sfn", "M7 2.5H13V6.5H7ZM3 13.5H8V17.5H3ZM12 13.5H17V17.5H12ZM10 6.5V10M5.5 13.5V10H14.5V13.5"],
  ["apigateway apigatewayv2", "M6.5 4L2.5 10L6.5 16M13.5 4L17.5 10L13.5 16M11.5 5L8.5 15"],
  ["http", "M10 2.5A7.5 7.5 0 1 1 9.99 2.5ZM2.5 10H17.5M10 2.5Q4 10 10 17.5M10 2.5Q16 10 10 17.5"],
  ["ecs ecr", `${CUBE}M3.5 6.2L10 10L16.5 6.2M10 10V17.5`],
  ["eks emr-containers", `${CUBE}M10 7.5A2.5 2.5 0 1 1 9.99 7.5ZM10 2.5V7.5M10 12.5V17.5`],
  ["batch mediaconvert", "M3 5H10M3 10H8.5M3 15H10M12 6.5L17.5 10L12 13.5Z"],
  ["glue databrew", "M2.5 4.5H6L10.5 10H17.5M2.5 15.5H6L10.5 10M15 7.5L17.5 10L15 12.5"],
  ["athena", "M8.5 2.5A6 6 0 1 1 8.49 2.5ZM12.8 12.8L17.5 17.5M6 11V8.5M8.5 11V6M11 11V7.5"],
  ["elasticmapreduce emr emr-serverless emrserverless", `${DOTS}M10 6.9V10L6.3 13.5M10 10L13.7 13.5`],
  ["sagemaker sagemakerruntime", "M4 5L10 2.5L16 5V15L10 17.5L4 15ZM4 5L10 10L16 5M4 15L10 10L16 15M10 2.5V17.5"],
  [
    "bedrock bedrockruntime bedrockagent bedrockagentruntime",
    "M8.5 3Q9 9.5 15 10Q9 10.5 8.5 17Q8 10.5 2 10Q8 9.5 8.5 3ZM15.5 2.5V6.5M13.5 4.5H17.5",
  ],
  ["textract rekognition comprehend translate transcribe polly", "M2.5 10Q10 2 17.5 10Q10 18 2.5 10ZM10 7.7A2.3 2.3 0 1 1 9.99 7.7Z"],
  ["codebuild codepipeline codedeploy", "M4 16.5L11 9.5M8.5 3.5L16.5 11.5L14 14L6 6Z"],
  ["kinesis firehose", "M3 6Q6.5 3 10 6T17 6M3 10.5Q6.5 7.5 10 10.5T17 10.5M3 15Q6.5 12 10 15T17 15"],
  ["kms secretsmanager ssm", "M6.5 9.5A3.7 3.7 0 1 1 6.49 9.5ZM9.2 10.8L16.5 3.5M13.5 6.5L16 9"],
  ["ses sesv2", "M2.5 4.5H17.5V15.5H2.5ZM2.5 5L10 11L17.5 5"],
  [
    "ec2 ssm-contacts",
    "M5.5 5.5H14.5V14.5H5.5ZM8 2.5V5.5M12 2.5V5.5M8 14.5V17.5M12 14.5V17.5M2.5 8H5.5M2.5 12H5.5M14.5 8H17.5M14.5 12H17.5",
  ],
  ["cloudwatch cloudwatchlogs logs", "M3 3V17H17M6 13L9.5 9L12 11.5L16.5 5.5"],
  ["activity", "M10 2.5A3.2 3.2 0 1 1 9.99 2.5ZM3.5 17.5Q4 11.5 10 11.5Q16 11.5 16.5 17.5"],
];

const paths = new Map(SIGNS.flatMap(([services, path]) => services.split(" ").map((service) => [service, path] as const)));

/** Returns the icon of a service, by its name in Resources. Undefined if it has none. */
export const signOfService = (service: string): string | undefined => paths.get(service);

/** Matches a task in a drawing of the interpreter: its title names what it calls, and its icon is the only one in it. */
const TASK =
  /(<g class="([^"\s]+)-node \2-task[^"]*"[^>]*><title>[^<]*?\(Task, ([\w-]+)[^<]*<\/title>(?:(?!<\/g>)[^])*?<path class="\2-glyph"[^>]* d=")[^"]*"/g;

/** See the declaration. */
export function withServiceSigns(svg: string): string {
  return svg.replaceAll(TASK, (all, begin: string, _prefix: string, service: string) => {
    const sign = paths.get(service);
    return sign === undefined ? all : `${begin}${sign}"`;
  });
}
