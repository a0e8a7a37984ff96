// Made by scripts/integrations.mjs from the models of botocore 1.44.5 (Apache-2.0): do not edit.

/** The services of the AWS SDK integrations: the name in a Resource, the prefix of IAM's actions, botocore's folder where it has another name, the name of the service. */
export const SERVICES = `
accessanalyzer access-analyzer - AccessAnalyzer
account account - Account
accountaccess account-access - Account Access
accountaccessruntime account-access - Account Access Runtime
acm acm - ACM
acmpca acm-pca - ACM PCA
agentregistry agent-registry - Agent Registry
agentregistrycontrol agent-registry - Agent Registry Control
aiops aiops - AIOps
amp aps - amp
amplify amplify - Amplify
amplifybackend amplifybackend - AmplifyBackend
amplifyuibuilder amplifyuibuilder - AmplifyUIBuilder
apigateway apigateway - API Gateway
apigatewaymanagementapi execute-api - ApiGatewayManagementApi
apigatewayv2 apigateway - ApiGatewayV2
appconfig appconfig - AppConfig
appconfigdata appconfig - AppConfigData
appfabric appfabric - AppFabric
appflow appflow - Appflow
appintegrations app-integrations - AppIntegrations
applicationautoscaling application-autoscaling - Application Auto Scaling
applicationcostprofiler application-cost-profiler - ApplicationCostProfiler
applicationdiscovery discovery discovery Application Discovery Service
applicationinsights applicationinsights - Application Insights
applicationsignals application-signals - Application Signals
appmesh appmesh - App Mesh
apprunner apprunner - AppRunner
appstream appstream - AppStream
appsync appsync - AppSync
arcregionswitch arc-region-switch - ARC Region switch
arczonalshift arc-zonal-shift - ARC Zonal Shift
artifact artifact - Artifact
athena athena - Athena
auditmanager auditmanager - AuditManager
autoscaling autoscaling - Auto Scaling
autoscalingplans autoscaling-plans - Auto Scaling Plans
b2bi b2bi - b2bi
backup backup - Backup
backupgateway backup-gateway - Backup Gateway
backupsearch backup-search - BackupSearch
batch batch - Batch
bcmdashboards bcm-dashboards - BCM Dashboards
bcmdataexports bcm-data-exports - BCM Data Exports
bcmpricingcalculator bcm-pricing-calculator - BCM Pricing Calculator
bcmrecommendedactions bcm-recommended-actions - BCM Recommended Actions
bedrock bedrock - Bedrock
bedrockagent bedrock - Bedrock Agent
bedrockagentcore bedrock-agentcore - Bedrock AgentCore
bedrockagentcorecontrol bedrock-agentcore - Bedrock AgentCore Control
bedrockagentruntime bedrock - Bedrock Agent Runtime
bedrockdataautomation bedrock - Bedrock Data Automation
bedrockdataautomationruntime bedrock - Bedrock Data Automation Runtime
bedrockruntime bedrock - Bedrock Runtime
billing billing - Billing
billingconductor billingconductor - billingconductor
braket braket - Braket
budgets budgets - Budgets
chatbot chatbot - chatbot
chime chime - Chime
chimesdkidentity chime - Chime SDK Identity
chimesdkmediapipelines chime - Chime SDK Media Pipelines
chimesdkmeetings chime - Chime SDK Meetings
chimesdkmessaging chime - Chime SDK Messaging
chimesdkvoice chime - Chime SDK Voice
cleanrooms cleanrooms - CleanRooms
cleanroomsml cleanrooms-ml - CleanRoomsML
cloud9 cloud9 - Cloud9
cloudcontrol cloudcontrolapi - CloudControl
clouddirectory clouddirectory - CloudDirectory
cloudformation cloudformation - CloudFormation
cloudfront cloudfront - CloudFront
cloudfrontkeyvaluestore cloudfront-keyvaluestore - CloudFront KeyValueStore
cloudhsm cloudhsm - CloudHSM
cloudhsmv2 cloudhsm - CloudHSM V2
cloudsearch cloudsearch - CloudSearch
cloudsearchdomain cloudsearch - CloudSearch Domain
cloudtrail cloudtrail - CloudTrail
cloudtraildata cloudtrail-data - CloudTrail Data
cloudwatch monitoring - CloudWatch
cloudwatchevents events events CloudWatch Events
cloudwatchlogs logs logs CloudWatch Logs
cloudwatchomni cloudwatch - CloudWatchOmni
codeartifact codeartifact - codeartifact
codebuild codebuild - CodeBuild
codecatalyst codecatalyst - CodeCatalyst
codecommit codecommit - CodeCommit
codeconnections codeconnections - CodeConnections
codedeploy codedeploy - CodeDeploy
codeguruprofiler codeguru-profiler - CodeGuruProfiler
codegurureviewer codeguru-reviewer - CodeGuru Reviewer
codegurusecurity codeguru-security - CodeGuru Security
codepipeline codepipeline - CodePipeline
codestarconnections codestar-connections - CodeStar connections
codestarnotifications codestar-notifications - codestar notifications
cognitoidentity cognito-identity - Cognito Identity
cognitoidentityprovider cognito-idp cognito-idp Cognito Identity Provider
cognitosync cognito-sync - Cognito Sync
comprehend comprehend - Comprehend
comprehendmedical comprehendmedical - ComprehendMedical
computeoptimizer compute-optimizer - Compute Optimizer
computeoptimizerautomation aco-automation - Compute Optimizer Automation
config config - Config Service
connect connect - Connect
connectcampaigns connect-campaigns - ConnectCampaigns
connectcampaignsv2 connect-campaigns - ConnectCampaignsV2
connectcases cases - ConnectCases
connectcontactlens connect - Connect Contact Lens
connecthealth health-agent - ConnectHealth
connectparticipant execute-api - ConnectParticipant
connectscheduling connect - ConnectScheduling
continuum continuum - Continuum
controlcatalog controlcatalog - ControlCatalog
controltower controltower - ControlTower
costandusagereport cur cur Cost and Usage Report Service
costexplorer ce ce Cost Explorer
costoptimizationhub cost-optimization-hub - Cost Optimization Hub
customerprofiles profile - Customer Profiles
databasemigration dms dms Database Migration Service
databrew databrew - DataBrew
dataexchange dataexchange - DataExchange
datapipeline datapipeline - Data Pipeline
datasync datasync - DataSync
datazone datazone - DataZone
dax dax - DAX
deadline deadline - deadline
detective detective - Detective
devicefarm devicefarm - Device Farm
devopsagent aidevops - DevOps Agent
devopsguru devops-guru - DevOps Guru
directconnect directconnect - Direct Connect
directory ds ds Directory Service
directoryservicedata ds-data ds-data Directory Service Data
dlm dlm - DLM
docdb rds - DocDB
docdbelastic docdb-elastic - DocDB Elastic
drs drs - drs
dsql dsql - DSQL
dynamodb dynamodb - DynamoDB
dynamodbstreams dynamodb - DynamoDB Streams
ebs ebs - EBS
ec2 ec2 - EC2
ec2instanceconnect ec2-instance-connect - EC2 Instance Connect
ecr ecr - ECR
ecrpublic ecr-public - ECR PUBLIC
ecs ecs - ECS
efs elasticfilesystem - EFS
eks eks - EKS
eksauth eks-auth - EKS Auth
elasticache elasticache - ElastiCache
elasticbeanstalk elasticbeanstalk - Elastic Beanstalk
elasticloadbalancing elasticloadbalancing elb Elastic Load Balancing
elasticloadbalancingv2 elasticloadbalancing elbv2 Elastic Load Balancing v2
elasticsearch es es Elasticsearch Service
elementalinference elemental-inference - ElementalInference
emr elasticmapreduce - EMR
emrcontainers emr-containers - EMR containers
emrserverless emr-serverless - EMR Serverless
endusermessaging end-user-messaging - EndUserMessaging
entityresolution entityresolution - EntityResolution
eventbridge events events EventBridge
eventbridgev2 events - EventBridgeV2
evs evs - evs
firehose firehose - Firehose
fis fis - fis
fms fms - FMS
forecast forecast - forecast
forecastquery forecast - forecastquery
frauddetector frauddetector - FraudDetector
freetier freetier - FreeTier
fsx fsx - FSx
gamelift gamelift - GameLift
gameliftstreams gameliftstreams - GameLiftStreams
geomaps geo-maps - Geo Maps
geoplaces geo-places - Geo Places
georoutes geo-routes - Geo Routes
glacier glacier - Glacier
globalaccelerator globalaccelerator - Global Accelerator
glue glue - Glue
grafana grafana - grafana
greengrass greengrass - Greengrass
greengrassv2 greengrass - GreengrassV2
groundstation groundstation - GroundStation
guardduty guardduty - GuardDuty
health health - Health
healthlake healthlake - HealthLake
iam iam - IAM
iamtoolbox iam - IAM Toolbox
identitystore identitystore - identitystore
imagebuilder imagebuilder - imagebuilder
importexport importexport - ImportExport
inspector inspector - Inspector
inspector2 inspector2 - Inspector2
inspectorscan inspector-scan - Inspector Scan
interconnect interconnect - Interconnect
internetmonitor internetmonitor - InternetMonitor
invoicing invoicing - Invoicing
iot iot - IoT
iotdataplane iotdata iot-data IoT Data Plane
iotdeviceadvisor iotdeviceadvisor - IotDeviceAdvisor
iotfleetwise iotfleetwise - IoTFleetWise
iotjobsdataplane iot-jobs-data iot-jobs-data IoT Jobs Data Plane
iotmanagedintegrations iotmanagedintegrations - IoT Managed Integrations
iotsecuretunneling IoTSecuredTunneling - IoTSecureTunneling
iotsitewise iotsitewise - IoTSiteWise
iotthingsgraph iotthingsgraph - IoTThingsGraph
iottwinmaker iottwinmaker - IoTTwinMaker
iotwireless iotwireless - IoT Wireless
ivs ivs - ivs
ivschat ivschat - ivschat
ivsrealtime ivs - IVS RealTime
kafka kafka - Kafka
kafkaconnect kafkaconnect - KafkaConnect
kendra kendra - kendra
kendraranking kendra-ranking - Kendra Ranking
keyspaces cassandra - Keyspaces
keyspacesstreams cassandra - KeyspacesStreams
kinesis kinesis - Kinesis
kinesisanalytics kinesisanalytics - Kinesis Analytics
kinesisanalyticsv2 kinesisanalytics - Kinesis Analytics V2
kinesisvideo kinesisvideo - Kinesis Video
kinesisvideoarchivedmedia kinesisvideo - Kinesis Video Archived Media
kinesisvideomedia kinesisvideo - Kinesis Video Media
kinesisvideosignaling kinesisvideo - Kinesis Video Signaling
kinesisvideowebrtcstorage kinesisvideo - Kinesis Video WebRTC Storage
kms kms - KMS
lakeformation lakeformation - LakeFormation
lambda lambda - Lambda
lambdacore lambda - Lambda Core
lambdamicrovms lambda - Lambda Microvms
lambdaweb lambda - Lambda Web
launchwizard launchwizard - Launch Wizard
lexmodelbuilding lex lex-models Lex Model Building Service
lexmodelsv2 lex lexv2-models Lex Models V2
lexruntime lex - Lex Runtime Service
lexruntimev2 lex lexv2-runtime Lex Runtime V2
licensemanager license-manager - License Manager
licensemanagerlinuxsubscriptions license-manager-linux-subscriptions - License Manager Linux Subscriptions
licensemanagerusersubscriptions license-manager-user-subscriptions - License Manager User Subscriptions
lightsail lightsail - Lightsail
location geo - Location
lookoutequipment lookoutequipment - LookoutEquipment
m2 m2 - m2
machinelearning machinelearning - Machine Learning
macie2 macie2 - Macie2
mailmanager ses - MailManager
managedblockchain managedblockchain - ManagedBlockchain
managedblockchainquery managedblockchain-query - ManagedBlockchain Query
marketplaceagreement aws-marketplace - Marketplace Agreement
marketplacecatalog aws-marketplace - Marketplace Catalog
marketplacecommerceanalytics marketplacecommerceanalytics - Marketplace Commerce Analytics
marketplacedeployment aws-marketplace - Marketplace Deployment
marketplacediscovery aws-marketplace - Marketplace Discovery
marketplaceentitlement aws-marketplace - Marketplace Entitlement Service
marketplacemetering aws-marketplace meteringmarketplace Marketplace Metering
marketplacereporting aws-marketplace - Marketplace Reporting
mediaconnect mediaconnect - MediaConnect
mediaconvert mediaconvert - MediaConvert
medialive medialive - MediaLive
mediapackage mediapackage - MediaPackage
mediapackagev2 mediapackagev2 - MediaPackageV2
mediapackagevod mediapackage-vod - MediaPackage Vod
mediastore mediastore - MediaStore
mediastoredata mediastore - MediaStore Data
mediatailor mediatailor - MediaTailor
medicalimaging medical-imaging - Medical Imaging
memorydb memorydb - MemoryDB
mgn mgn - mgn
migrationhub mgh mgh Migration Hub
migrationhubconfig mgh - MigrationHub Config
migrationhuborchestrator migrationhub-orchestrator - MigrationHubOrchestrator
migrationhubrefactorspaces refactor-spaces - Migration Hub Refactor Spaces
migrationhubstrategy migrationhub-strategy - MigrationHubStrategy
mpa mpa - MPA
mq mq - mq
mturk mturk-requester - MTurk
mwaa airflow - MWAA
mwaaserverless airflow-serverless - MWAA Serverless
neptune rds - Neptune
neptunedata neptune-db - neptunedata
neptunegraph neptune-graph - Neptune Graph
networkfirewall network-firewall - Network Firewall
networkflowmonitor networkflowmonitor - NetworkFlowMonitor
networkmanager networkmanager - NetworkManager
networkmonitor networkmonitor - NetworkMonitor
networksecuritymanager network-security-manager - Network Security Manager
notifications notifications - Notifications
notificationscontacts notifications-contacts - NotificationsContacts
novaact nova-act - Nova Act
oam oam - OAM
observabilityadmin observabilityadmin - ObservabilityAdmin
odb odb - odb
omics omics - Omics
opensearch es - OpenSearch
opensearchmemory osm - OpenSearchMemory
opensearchserverless aoss - OpenSearchServerless
organizations organizations - Organizations
osis osis - OSIS
outposts outposts - Outposts
partnercentralaccount partnercentral-account - PartnerCentral Account
partnercentralbenefits partnercentral-benefits - PartnerCentral Benefits
partnercentralchannel partnercentral-channel - PartnerCentral Channel
partnercentralrevenuemeasurement partnercentral - PartnerCentral Revenue Measurement
partnercentralselling partnercentral-selling - PartnerCentral Selling
paymentcryptography payment-cryptography - Payment Cryptography
paymentcryptographydata payment-cryptography - Payment Cryptography Data
pcaconnectorad pca-connector-ad - Pca Connector Ad
pcaconnectorscep pca-connector-scep - Pca Connector Scep
pcs pcs - PCS
personalize personalize - Personalize
personalizeevents personalize - Personalize Events
personalizeruntime personalize - Personalize Runtime
pi pi - PI
pinpoint mobiletargeting - Pinpoint
pinpointemail ses - Pinpoint Email
pinpointsmsvoice sms-voice sms-voice Pinpoint SMS Voice
pinpointsmsvoicev2 sms-voice - Pinpoint SMS Voice V2
pipes pipes - Pipes
polly polly - Polly
pricing pricing - Pricing
pricingplanmanager pricingplanmanager - Pricing Plan Manager
proton proton - Proton
qapps qapps - QApps
qbusiness qbusiness - QBusiness
qconnect wisdom - QConnect
quicksight quicksight - QuickSight
ram ram - RAM
rbin rbin - rbin
rds rds - RDS
rdsdata rds-data - RDS Data
redshift redshift - Redshift
redshiftdata redshift-data - Redshift Data
redshiftserverless redshift-serverless - Redshift Serverless
rekognition rekognition - Rekognition
repostspace repostspace - repostspace
resiliencehub resiliencehub - resiliencehub
resiliencehubv2 resiliencehub - resiliencehubv2
resourceexplorer2 resource-explorer-2 - Resource Explorer 2
resourcegroups resource-groups - Resource Groups
resourcegroupstaggingapi tagging - Resource Groups Tagging API
rolesanywhere rolesanywhere - RolesAnywhere
route53 route53 - Route 53
route53domains route53domains - Route 53 Domains
route53globalresolver route53globalresolver - Route53GlobalResolver
route53profiles route53profiles - Route53Profiles
route53recoverycluster route53-recovery-cluster - Route53 Recovery Cluster
route53recoverycontrolconfig route53-recovery-control-config - Route53 Recovery Control Config
route53recoveryreadiness route53-recovery-readiness - Route53 Recovery Readiness
route53resolver route53resolver - Route53Resolver
rtbfabric rtbfabric - RTBFabric
rum rum - RUM
s3 s3 - S3
s3control s3 - S3 Control
s3files s3files - S3Files
s3outposts s3-outposts - S3Outposts
s3tables s3tables - S3Tables
s3vectors s3vectors - S3Vectors
sagemaker sagemaker - SageMaker
sagemakera2iruntime sagemaker - SageMaker A2I Runtime
sagemakeredge sagemaker - Sagemaker Edge
sagemakerfeaturestoreruntime sagemaker - SageMaker FeatureStore Runtime
sagemakergeospatial sagemaker-geospatial - SageMaker Geospatial
sagemakerinferencerouterruntime sagemaker - SageMaker Inference Router Runtime
sagemakerjobruntime sagemaker - SagemakerJobRuntime
sagemakermetrics sagemaker - SageMaker Metrics
sagemakerruntime sagemaker - SageMaker Runtime
sagemakertrainingsessionruntime sagemaker - SageMakerTrainingSessionRuntime
savingsplans savingsplans - savingsplans
scheduler scheduler - Scheduler
schemas schemas - schemas
secretsmanager secretsmanager - Secrets Manager
securityagent securityagent - SecurityAgent
securityhub securityhub - SecurityHub
securityir security-ir - Security IR
securitylake securitylake - SecurityLake
serverlessapplicationrepository serverlessrepo serverlessrepo ServerlessApplicationRepository
servicecatalog servicecatalog - Service Catalog
servicecatalogappregistry servicecatalog - Service Catalog AppRegistry
servicediscovery servicediscovery - ServiceDiscovery
servicequotas servicequotas - Service Quotas
ses ses - SES
sesv2 ses - SESv2
sfn states stepfunctions SFN
shield shield - Shield
signer signer - signer
signerdata signer - Signer Data
signin signin - Signin
simpledb sdb sdb SimpleDB
simpledbv2 sdb - SimpleDBv2
snowball snowball - Snowball
snowdevicemanagement snow-device-management - Snow Device Management
sns sns - SNS
socialmessaging social-messaging - SocialMessaging
sqs sqs - SQS
ssm ssm - SSM
ssmcontacts ssm-contacts - SSM Contacts
ssmguiconnect ssm-guiconnect - SSM GuiConnect
ssmincidents ssm-incidents - SSM Incidents
ssmquicksetup ssm-quicksetup - SSM QuickSetup
ssmsap ssm-sap - Ssm Sap
sso awsssoportal - SSO
ssoadmin sso - SSO Admin
ssooidc sso-oauth - SSO OIDC
storagegateway storagegateway - Storage Gateway
sts sts - STS
supplychain scn - SupplyChain
support support - Support
supportapp supportapp - Support App
supportauthz supportauthz - SupportAuthZ
sustainability sustainability - Sustainability
swf swf - SWF
synthetics synthetics - synthetics
taxsettings tax - TaxSettings
textract textract - Textract
timestreaminfluxdb timestream-influxdb - Timestream InfluxDB
timestreamquery timestream - Timestream Query
timestreamwrite timestream - Timestream Write
transcribe transcribe - Transcribe
transfer transfer - Transfer
translate translate - Translate
trustedadvisor trustedadvisor - TrustedAdvisor
uxc uxc - uxc
verifiedpermissions verifiedpermissions - VerifiedPermissions
voiceid voiceid - Voice ID
vpclattice vpc-lattice - VPC Lattice
waf waf - WAF
wafregional waf-regional - WAF Regional
wafv2 wafv2 - WAFV2
wellarchitected wellarchitected - WellArchitected
wickr wickr - Wickr
wisdom wisdom - Wisdom
workdocs workdocs - WorkDocs
workmail workmail - WorkMail
workmailmessageflow workmailmessageflow - WorkMailMessageFlow
workspaces workspaces - WorkSpaces
workspacesinstances workspaces-instances - Workspaces Instances
workspacesthinclient thinclient - WorkSpaces Thin Client
workspacesweb workspaces-web - WorkSpaces Web
xray xray - XRay
`;
