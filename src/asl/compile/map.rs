//! Map: its items, its processor, and the fields of the distributed mode (spec §7.4–7.7).

use super::jsonata::Reach;
use super::state::unsigned;
use super::{Compiler, Position, SCHEMA, Site};
use crate::asl::codes;
use crate::asl::ir::{
    ItemBatcher, ItemReader, JsonataTemplate, MapMode, MapState, PathField, Payload, QueryLanguage, ResultWriter, ScopeId,
};
use crate::asl::shape;
use crate::base::diag::{Diagnostic, Part};
use crate::base::{Map, Value};
use std::sync::Arc;

/// The APIs from which an ItemReader can read (spec §7.6).
const READERS: &[&str] = &["s3:listObjectsV2", "s3:getObject"];

/// The APIs to which a ResultWriter can write (spec §7.7).
const WRITERS: &[&str] = &["s3:putObject"];

impl<'d> Compiler<'d> {
    pub(super) fn map(
        &mut self,
        position: &Position<'_>,
        members: &'d Map,
        site: Site,
        language: QueryLanguage,
    ) -> Option<MapState> {
        let processor = self.processor(position, members, site);
        let mode = processor.map_or(MapMode::Inline, |(_, mode)| mode);
        if mode == MapMode::Inline && processor.is_some() {
            self.distributed_only(position, members);
        }
        let reads = members.contains_key("ItemReader");
        let items_path = self.items_path(position, members, language, reads);
        let items = match members.get("Items") {
            Some(value) if language == QueryLanguage::Jsonata => Some(self.items(position, value)),
            _ => None,
        };
        let item_selector = self.item_selector(position, members, language);
        let max_concurrency = self.field(position, members, "MaxConcurrency", unsigned);
        let tolerated_count = self.field(position, members, "ToleratedFailureCount", unsigned);
        let tolerated_percentage = self.field(position, members, "ToleratedFailurePercentage", Value::as_f64);
        let object = |name: &str| members.get(name).and_then(Value::as_object);
        let item_reader = object("ItemReader").and_then(|reader| self.item_reader(&position.key("ItemReader"), reader, language));
        let item_batcher = object("ItemBatcher").map(|batcher| self.item_batcher(&position.key("ItemBatcher"), batcher, language));
        let result_writer =
            object("ResultWriter").map(|writer| self.result_writer(&position.key("ResultWriter"), writer, language));
        let label = match members.get("Label") {
            Some(Value::String(label)) => {
                self.label(&position.key("Label"), label);
                Some(label.clone())
            }
            _ => None,
        };
        Some(MapState {
            processor: processor?.0,
            mode,
            items_path,
            items,
            item_selector,
            max_concurrency,
            item_reader,
            item_batcher,
            result_writer,
            tolerated_count,
            tolerated_percentage,
            label,
        })
    }

    fn processor(&mut self, position: &Position<'_>, members: &'d Map, site: Site) -> Option<(ScopeId, MapMode)> {
        if self.exclusive(position, members, "ItemProcessor", "Iterator") {
            // The new spelling is compiled, because there may be more to report in it.
        } else if !members.contains_key("ItemProcessor") && !members.contains_key("Iterator") {
            self.report(
                Diagnostic::new(&codes::MISSING_ONE_OF, position.pointer(), "a Map state needs `ItemProcessor`").at(Part::Key).aws(
                    SCHEMA,
                    "These fields are required: [ItemProcessor]",
                    Some(position.location()),
                ),
            );
            return None;
        }
        let name = if members.contains_key("ItemProcessor") { "ItemProcessor" } else { "Iterator" };
        let processor = members.get(name)?.as_object()?;
        let at = position.key(name);
        self.check_shape(&at, processor, &shape::PROCESSOR, QueryLanguage::JsonPath);
        let mode = self.processor_config(&at, processor, site);
        let (express, isolated) = match mode {
            MapMode::Inline => (site.express, false),
            MapMode::Distributed { express } => (express, true),
        };
        let scope = self.scope(&at, processor, Some((site.scope, site.id)), site.depth + 1, express, isolated);
        Some((scope, mode))
    }

    fn processor_config(&mut self, position: &Position<'_>, processor: &Map, site: Site) -> MapMode {
        let Some(config) = processor.get("ProcessorConfig").and_then(Value::as_object) else { return MapMode::Inline };
        let at = position.key("ProcessorConfig");
        self.check_shape(&at, config, &shape::PROCESSOR_CONFIG, QueryLanguage::JsonPath);
        if config.get("Mode").and_then(Value::as_str) != Some("DISTRIBUTED") {
            if config.contains_key("ExecutionType") {
                let pointer = at.key("ExecutionType").pointer();
                self.report(
                    Diagnostic::new(&codes::FIELD_NOT_ALLOWED, pointer, "only the distributed mode has an `ExecutionType`")
                        .at(Part::Key)
                        .help("add `\"Mode\": \"DISTRIBUTED\"`, or remove the field")
                        .aws(SCHEMA, "Field 'ExecutionType' is not supported", Some(at.location())),
                );
            }
            return MapMode::Inline;
        }
        if !config.contains_key("ExecutionType") {
            self.report(
                Diagnostic::new(&codes::MISSING_FIELD, at.pointer(), "the distributed mode needs an `ExecutionType`")
                    .help("set it to `STANDARD` or `EXPRESS`, the type of the child executions")
                    .aws(SCHEMA, "These fields are required: [ExecutionType]", Some(at.location())),
            );
        }
        if site.express {
            let mode = at.key("Mode");
            self.express(
                &mode,
                "Distributed Map states",
                "The field 'Mode' with value 'DISTRIBUTED' is not supported inside 'EXPRESS' state machines".into(),
            );
        }
        MapMode::Distributed { express: config.get("ExecutionType").and_then(Value::as_str) == Some("EXPRESS") }
    }

    /// Reports fields of the distributed mode. AWS accepts them in inline mode too, where they have no effect.
    fn distributed_only(&mut self, position: &Position<'_>, members: &Map) {
        const FIELDS: [&str; 8] = [
            "ItemReader",
            "ItemBatcher",
            "ResultWriter",
            "Label",
            "ToleratedFailureCount",
            "ToleratedFailureCountPath",
            "ToleratedFailurePercentage",
            "ToleratedFailurePercentagePath",
        ];
        for name in FIELDS.into_iter().filter(|name| members.contains_key(name)) {
            let message = format!("`{name}` has no effect except in the distributed mode");
            let pointer = position.key(name).pointer();
            let help =
                "set `\"ProcessorConfig\": {\"Mode\": \"DISTRIBUTED\", \"ExecutionType\": \"STANDARD\"}` in the ItemProcessor";
            self.report(Diagnostic::new(&codes::DISTRIBUTED_ONLY, pointer, message).at(Part::Key).help(help));
        }
    }

    fn items_path(&mut self, position: &Position<'_>, members: &Map, language: QueryLanguage, reads: bool) -> PathField {
        let Some(Value::String(text)) = members.get("ItemsPath") else { return PathField::Whole };
        if language == QueryLanguage::Jsonata {
            return PathField::Whole;
        }
        let at = position.key("ItemsPath");
        if reads {
            // AWS ignores it completely, even if it is not a valid path (recorded January 2025).
            let message = "`ItemsPath` has no effect beside `ItemReader`";
            self.report(Diagnostic::new(&codes::IGNORED_FIELD, at.pointer(), message).at(Part::Key).label(
                position.key("ItemReader").pointer(),
                Part::Key,
                "reads the items",
            ));
            return PathField::Whole;
        }
        match &**text {
            "$" => PathField::Whole,
            text => self.reference(&at, text).map_or(PathField::Whole, PathField::Path),
        }
    }

    fn items(&mut self, position: &Position<'_>, value: &Value) -> JsonataTemplate {
        self.jsonata_template(&position.key("Items"), value, Reach::default())
    }

    fn item_selector(
        &mut self,
        position: &Position<'_>,
        members: &Map,
        language: QueryLanguage,
    ) -> Option<(&'static str, Payload)> {
        if language == QueryLanguage::JsonPath && self.exclusive(position, members, "ItemSelector", "Parameters") {
            return None;
        }
        let old = (language == QueryLanguage::JsonPath).then_some("Parameters");
        let name = ["ItemSelector"].into_iter().chain(old).find(|name| members.contains_key(name))?;
        let value = members.get(name)?;
        let at = position.key(name);
        if name == "ItemSelector" && language == QueryLanguage::JsonPath && value.as_object().is_none() {
            self.wrong_type(&at, value, "an object", "OBJECT");
            return None;
        }
        Some((name, self.payload(&at, value, language, Reach::default())?))
    }

    fn item_reader(&mut self, position: &Position<'_>, reader: &Map, language: QueryLanguage) -> Option<ItemReader> {
        self.check_shape(position, reader, &shape::ITEM_READER, language);
        let resource = reader.get("Resource").and_then(Value::as_str);
        if let Some(resource) = resource {
            self.storage(&position.key("Resource"), resource, READERS);
        }
        let parameters = self.storage_parameters(position, reader, language);
        let at = position.key("ReaderConfig");
        let mut config = None;
        let mut max_items = None;
        if let Some(members) = reader.get("ReaderConfig").and_then(Value::as_object) {
            self.check_shape(&at, members, &shape::READER_CONFIG, language);
            max_items = self.field(&at, members, "MaxItems", Value::as_i64);
            self.reader_config(&at, members);
            let rest: Map = members
                .iter()
                .filter(|(name, _)| !matches!(&***name, "MaxItems" | "MaxItemsPath"))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            config = match language {
                QueryLanguage::Jsonata => Some(Payload::Jsonata(self.reader_settings(&at, &rest))),
                QueryLanguage::JsonPath => self.payload(&at, &Value::from(rest), language, Reach::default()),
            };
        }
        Some(ItemReader { resource: Arc::from(resource?), parameters, config, max_items })
    }

    /// Compiles a `ReaderConfig` with its expressions. The items of `CSVHeaders` are names, even if they look like expressions
    /// (measured).
    fn reader_settings(&mut self, position: &Position<'_>, members: &Map) -> JsonataTemplate {
        let parts = members.iter().map(|(name, value)| match value {
            Value::Array(_) if &**name == "CSVHeaders" => (name.clone(), JsonataTemplate::Literal(value.clone())),
            value => (name.clone(), self.jsonata_template(&position.key(name), value, Reach::default())),
        });
        let parts: Vec<_> = parts.collect();
        if parts.iter().all(|(_, part)| matches!(part, JsonataTemplate::Literal(_))) {
            return JsonataTemplate::Literal(Value::from(members.clone()));
        }
        JsonataTemplate::Object(parts)
    }

    /// Checks which fields go with which input type (recorded on AWS).
    fn reader_config(&mut self, position: &Position<'_>, members: &Map) {
        let word = |name: &str| members.get(name).and_then(Value::as_str);
        let missing = |name: &str, why: &str, aws: String| {
            Diagnostic::new(&codes::READER_CONFIG, position.pointer(), format!("{why} needs `{name}`")).aws(
                SCHEMA,
                aws,
                Some(position.location()),
            )
        };
        let one = |name: &str| format!("The field '{name}' is required");
        let mut found = Vec::new();
        let input = word("InputType");
        if input == Some("CSV") && !members.contains_key("CSVHeaderLocation") {
            found.push(missing("CSVHeaderLocation", "CSV input", one("CSVHeaderLocation")));
        }
        if input.is_none() && word("Transformation") == Some("LOAD_AND_FLATTEN") {
            found.push(missing("InputType", "`LOAD_AND_FLATTEN`", one("InputType")));
        }
        if word("CSVHeaderLocation") == Some("GIVEN") && !members.contains_key("CSVHeaders") {
            found.push(missing("CSVHeaders", "a header location of `GIVEN`", "These fields are required: [CSVHeaders]".into()));
        }
        for name in ["CSVHeaderLocation", "CSVHeaders", "CSVDelimiter", "ItemsPointer", "ManifestType"] {
            let fits = match (name, input) {
                (_, None) => true,
                ("ItemsPointer", Some(input)) => input == "JSON",
                ("ManifestType", Some(input)) => input != "JSON",
                (_, Some(input)) => input == "CSV",
            };
            if !fits && members.contains_key(name) {
                let message = format!("`{name}` cannot be used with {} input", input.unwrap_or_default());
                found.push(Diagnostic::new(&codes::READER_CONFIG, position.key(name).pointer(), message).at(Part::Key).aws(
                    SCHEMA,
                    format!("Field '{name}' is not supported"),
                    Some(position.location()),
                ));
            }
        }
        if let Some(pointer) = word("ItemsPointer").filter(|text| !text.is_empty() && !text.starts_with(['/', '{'])) {
            let message = format!("`{pointer}` is not a JSON Pointer: it must start with `/`");
            let aws = format!("Invalid input: JSON Pointer expression must start with '/': \"{pointer}\"");
            let at = position.key("ItemsPointer");
            found.push(Diagnostic::new(&codes::READER_CONFIG, at.pointer(), message).aws(SCHEMA, aws, Some(at.location())));
        }
        self.diagnostics.extend(found);
    }

    fn storage_parameters(&mut self, position: &Position<'_>, members: &Map, language: QueryLanguage) -> Option<Payload> {
        let name = if language == QueryLanguage::JsonPath { "Parameters" } else { "Arguments" };
        let value = members.get(name)?;
        let at = position.key(name);
        if let Some(parameters) = value.as_object() {
            for name in ["Bucket", "Prefix", "Key"] {
                if let Some(value) = parameters.get(name).filter(|value| value.as_str().is_none()) {
                    self.wrong_type(&at.key(name), value, "a string", "STRING");
                }
            }
        }
        self.payload(&at, value, language, Reach::default())
    }

    /// Checks the API from which items are read or to which results are written.
    fn storage(&mut self, position: &Position<'_>, resource: &str, known: &[&str]) {
        let api = resource.splitn(6, ':').nth(5).unwrap_or_default();
        let arn = resource.starts_with("arn:") && resource.split(':').nth(2) == Some("states");
        if resource.contains("${") || (arn && known.contains(&api)) {
            return;
        }
        let expected: Vec<String> = known.iter().map(|api| format!("`arn:aws:states:::{api}`")).collect();
        let message = format!("`{resource}` is not {}", expected.join(" or "));
        let aws = "The field 'Resource' does not match any of the allowed values";
        self.report(Diagnostic::new(&codes::INVALID_RESOURCE, position.pointer(), message).aws(
            SCHEMA,
            aws,
            Some(position.location()),
        ));
    }

    fn item_batcher(&mut self, position: &Position<'_>, batcher: &Map, language: QueryLanguage) -> ItemBatcher {
        self.check_shape(position, batcher, &shape::ITEM_BATCHER, language);
        let limits = ["MaxItemsPerBatch", "MaxItemsPerBatchPath", "MaxInputBytesPerBatch", "MaxInputBytesPerBatchPath"];
        if !limits.iter().any(|name| batcher.contains_key(name)) {
            self.report(
                Diagnostic::new(
                    &codes::MISSING_ONE_OF,
                    position.pointer(),
                    "an ItemBatcher needs `MaxItemsPerBatch` or `MaxInputBytesPerBatch`",
                )
                .aws(
                    SCHEMA,
                    "ItemBatcher must have at least one of: [MaxItemsPerBatch, MaxInputBytesPerBatch]",
                    Some(position.location()),
                ),
            );
        }
        ItemBatcher {
            max_items: self.field(position, batcher, "MaxItemsPerBatch", unsigned),
            max_bytes: self.field(position, batcher, "MaxInputBytesPerBatch", unsigned),
            batch_input: batcher
                .get("BatchInput")
                .and_then(|value| self.payload(&position.key("BatchInput"), value, language, Reach::default())),
        }
    }

    fn result_writer(&mut self, position: &Position<'_>, writer: &Map, language: QueryLanguage) -> ResultWriter {
        if writer.is_empty() {
            self.empty_value(position);
        }
        self.check_shape(position, writer, &shape::RESULT_WRITER, language);
        let resource = writer.get("Resource").and_then(Value::as_str);
        let parameters = if language == QueryLanguage::JsonPath { "Parameters" } else { "Arguments" };
        let pair = ["Resource", parameters];
        if let Some(missing) = pair.iter().find(|name| !writer.contains_key(name))
            && pair.iter().any(|name| writer.contains_key(name))
        {
            let message = format!("a ResultWriter that writes to S3 needs `{missing}`");
            let aws = format!("These fields are required: [{missing}]");
            self.report(Diagnostic::new(&codes::MISSING_FIELD, position.pointer(), message).aws(
                SCHEMA,
                aws,
                Some(position.location()),
            ));
        }
        if let Some(resource) = resource {
            self.storage(&position.key("Resource"), resource, WRITERS);
        }
        let config = writer.get("WriterConfig").and_then(Value::as_object);
        if let Some(config) = config {
            self.check_shape(&position.key("WriterConfig"), config, &shape::WRITER_CONFIG, language);
        }
        let word = |name: &str| config.and_then(|config| config.get(name)).and_then(Value::as_str).map(Arc::from);
        ResultWriter {
            resource: resource.map(Arc::from),
            parameters: self.storage_parameters(position, writer, language),
            transformation: word("Transformation"),
            output_type: word("OutputType"),
        }
    }

    /// Checks a label: 1 to 40 characters that are permitted in an ARN, unique in the machine.
    fn label(&mut self, position: &Position<'_>, label: &'d str) {
        const FORBIDDEN: &str = "?*<>{}[]:;,\\|^~$#%&`\"";
        let length = label.chars().count();
        let bad = |c: char| c.is_whitespace() || c.is_control() || FORBIDDEN.contains(c);
        let problem = if length == 0 {
            Some(("a label cannot be empty".to_string(), "Label cannot be empty".to_string()))
        } else if length > 40 {
            Some((
                format!("a label can have at most 40 characters, but this one has {length}"),
                format!("The label '{label}' exceeds the 40-character limit allowed by the service"),
            ))
        } else {
            label
                .chars()
                .find(|c| bad(*c))
                .map(|c| (format!("{c:?} cannot be part of a label"), format!("Label contains invalid character: '{c}'")))
        };
        if let Some((message, aws)) = problem {
            let mut diagnostic = Diagnostic::new(&codes::INVALID_LABEL, position.pointer(), message).aws(
                "INVALID_LABEL_NAME",
                aws,
                Some(position.location()),
            );
            if let Some(offset) = label.find(bad) {
                let length = label[offset..].chars().next().map_or(1, char::len_utf8);
                diagnostic = diagnostic.at(Part::Text { offset, length });
            }
            self.report(diagnostic);
            return;
        }
        if let Some(first) = self.label_names.get(label).and_then(|at| self.labels.get(at)) {
            let message = format!("another Map state has the label `{label}`");
            let diagnostic = Diagnostic::new(&codes::DUPLICATE_LABEL, position.pointer(), message)
                .label(first.clone(), Part::Value, "first used here")
                .aws("DUPLICATE_LABEL_NAME", format!("Duplicate Label name: {label}"), Some(position.location()));
            self.report(diagnostic);
        } else {
            self.label_names.add(label, self.labels.len());
            self.labels.push(position.pointer());
        }
    }
}
