//! Reads a reader's answer into items. Before the first child starts, all items are checked and counted. A long text is scanned
//! in parts, so that no call of `step` takes as long as a whole file.

use super::source::{self, Format, Items};
use super::{Answer, Read, csv, further, inventory, unload, without_manifest};
use crate::base::json::{self, JsonError, Skim};
use crate::base::{Map, Value, pointer};
use crate::engine::TaskId;
use crate::engine::work::Work;

/// The number of bytes of JSON text that are checked between two checks of the budget.
const PART: usize = 1 << 15;

/// How many bytes can be checked for the cost of visiting one value.
const BYTES_CHECKED: usize = 4;

/// The answer to one task, and how far it was read.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Reading {
    /// The task that the answer is for.
    pub(in crate::engine) task: TaskId,
    pub(in crate::engine) text: String,
    /// Whether the text is a file in the format that ReaderConfig names. If not, it is JSON.
    pub(in crate::engine) file: bool,
    /// Whether the answer is read in one call.
    at_once: bool,
    stage: Stage,
    walk: Walk,
}

/// The current stage of reading.
#[derive(Clone, Debug)]
enum Stage {
    Begin,
    /// Checks whether the text is JSON.
    Json,
    /// Searches the value at a byte offset for `Contents` of a listing or `Body` of a file.
    Contents(usize),
    Body(usize),
    /// Follows the steps of the JSON Pointer, from the step with an index on, in the value at a byte offset.
    Pointer(usize, usize),
    /// Counts the elements of the array at a byte offset.
    Elements(usize),
    Members(usize, Map),
    Lines,
    Rows {
        begin: usize,
        format: Format,
    },
}

/// The progress of scanning a container, or a file.
#[derive(Clone, Debug, Default)]
struct Walk {
    /// The byte offset of the next part; 0 before the first.
    at: usize,
    count: u64,
    /// Where the wanted part was last found; for a file of lines, the length of the next line.
    found: Option<usize>,
    /// The scan of the current text.
    skim: Option<Skim>,
}

/// A result that may need another call; it is then `None`.
type Partial<T> = Result<Option<T>, String>;

impl Reading {
    pub(in crate::engine) fn new(task: TaskId, answer: Answer) -> Reading {
        let (text, file) = match answer {
            Answer::File(text) => (text, true),
            Answer::Json(text) => (text, false),
        };
        Reading { task, text, file, at_once: false, stage: Stage::Begin, walk: Walk::default() }
    }

    /// Resumes a reading that began before a restore. It runs in one call, because otherwise a host that restores the engine
    /// for each call would never finish.
    pub(in crate::engine) fn resumed(task: TaskId, answer: Answer) -> Reading {
        Reading { at_once: true, ..Reading::new(task, answer) }
    }

    /// Continues while the budget lasts. Returns the items or further files; `None` if there is more to read.
    pub(in crate::engine) fn go_on(
        &mut self,
        work: &Work,
        config: Option<&Value>,
        parameters: &Value,
    ) -> Option<Result<Read, String>> {
        let unlimited = Work::default();
        unlimited.begin_unlimited();
        let work = if self.at_once { &unlimited } else { work };
        loop {
            match self.read_part(work, config, parameters) {
                Ok(Some(read)) => return Some(Ok(read)),
                Err(error) => return Some(Err(error)),
                Ok(None) if work.is_done() => return None,
                Ok(None) => {}
            }
        }
    }

    /// Reads the whole answer in one call.
    pub(in crate::engine) fn read_whole(mut self, config: Option<&Value>, parameters: &Value) -> Result<Read, String> {
        self.at_once = true;
        self.go_on(&Work::default(), config, parameters).unwrap_or_else(|| Err("The answer is too long.".into()))
    }

    /// Scans a part of the text. Returns the result when it is complete.
    fn read_part(&mut self, work: &Work, config: Option<&Value>, parameters: &Value) -> Partial<Read> {
        let setting = |name: &str| config.and_then(|c| c.get(name)).and_then(Value::as_str);
        match &mut self.stage {
            Stage::Begin => match (setting("InputType"), setting("ManifestType")) {
                _ if !self.file => self.stage = Stage::Json,
                (Some("MANIFEST"), _) | (None, Some("S3_INVENTORY")) => return inventory(&self.text, parameters).map(Some),
                (_, Some("ATHENA_DATA")) => {
                    let requests = unload(&self.text, parameters);
                    return Ok(Some(Read::Files { requests, config: without_manifest(config) }));
                }
                (Some("CSV"), _) => {
                    let (headers, delimiter, begin) = csv::open(&self.text, config)?;
                    self.walk.at = begin;
                    self.stage = Stage::Rows { begin, format: Format::Rows { headers, delimiter } };
                }
                (Some("JSONL"), _) => self.stage = Stage::Lines,
                (Some("PARQUET"), _) => {
                    return Err("A PARQUET file must be read by the host, which answers with its rows as an array.".into());
                }
                _ => self.stage = Stage::Json,
            },
            Stage::Json => {
                let skim = self.walk.skim.get_or_insert_with(|| Skim::new(0));
                work.charge((PART.min(self.text.len()) / BYTES_CHECKED) as u64);
                let checked = skim.document(&self.text, PART).map_err(|error| match self.file {
                    true => not_json(error),
                    false => format!("the handler's answer cannot be read: {} at offset {}", error.message, error.offset),
                });
                if checked? {
                    let top = source::element(&self.text, 0);
                    self.go_to(if self.file { Stage::Pointer(top, 0) } else { Stage::Contents(top) });
                }
            }
            Stage::Contents(top) => {
                let top = *top;
                let Some(place) = self.walk.part(&self.text, top, "Contents", work)? else { return Ok(None) };
                let listing = place.filter(|at| self.text.as_bytes().get(*at) == Some(&b'['));
                let Some(at) = listing else {
                    self.go_to(Stage::Body(top));
                    return Ok(None);
                };
                if setting("Transformation") != Some("LOAD_AND_FLATTEN") {
                    self.go_to(Stage::Elements(at));
                    return Ok(None);
                }
                let (contents, _) = json::parse_at(&self.text, at).map_err(not_json)?;
                let keys = contents.as_array().unwrap_or_default().iter().filter_map(|object| object.get("Key"));
                let requests = keys.map(|key| further(parameters, key.clone())).collect();
                return Ok(Some(Read::Files { requests, config: config.cloned().unwrap_or_default() }));
            }
            Stage::Body(top) => {
                let top = *top;
                let Some(place) = self.walk.part(&self.text, top, "Body", work)? else { return Ok(None) };
                match place {
                    Some(at) if self.text.as_bytes().get(at) == Some(&b'"') => {
                        let (body, _) = json::parse_at(&self.text, at).map_err(not_json)?;
                        self.text = body.as_str().unwrap_or_default().into();
                        self.file = true;
                        self.go_to(Stage::Begin);
                    }
                    body => self.go_to(Stage::Pointer(body.unwrap_or(top), 0)),
                }
            }
            Stage::Pointer(at, steps) => {
                let (at, steps) = (*at, *steps);
                let pointer = setting("ItemsPointer").unwrap_or_default();
                if let Some(step) = pointer::steps(pointer).nth(steps) {
                    let Some(place) = self.walk.part(&self.text, at, &step, work)? else { return Ok(None) };
                    let at = place.ok_or_else(|| format!("The ItemsPointer '{pointer}' does not point into the file."))?;
                    self.go_to(Stage::Pointer(at, steps + 1));
                    return Ok(None);
                }
                match self.text.as_bytes().get(at) {
                    Some(b'[') => self.go_to(Stage::Elements(at)),
                    // Of two members with the same name the last one counts, so all members must be read first.
                    Some(b'{') => self.go_to(Stage::Members(at, Map::new())),
                    _ => return Err("Attempting to map over non-iterable node.".into()),
                }
            }
            Stage::Elements(at) => {
                let at = *at;
                let Some((end, _)) = self.walk.scan(&self.text, at, None, work)? else { return Ok(None) };
                let mut text = std::mem::take(&mut self.text);
                text.truncate(end);
                return Ok(Some(Read::Items(Items::of_text(text, at + 1, self.walk.count, Format::Elements))));
            }
            Stage::Members(at, members) => {
                let begin = source::element(&self.text, self.walk.at.max(*at + 1));
                if self.text.as_bytes().get(begin) == Some(&b'}') {
                    return Ok(Some(Read::Items(Items::of_object(members))));
                }
                let (key, value, end) = member(&self.text, begin)?;
                work.charge(4 + ((end - begin) / BYTES_CHECKED) as u64);
                members.insert(key, value);
                self.walk.at = end;
            }
            Stage::Lines => {
                let rest = self.text.get(self.walk.at..).unwrap_or_default();
                if rest.is_empty() {
                    let text = std::mem::take(&mut self.text);
                    return Ok(Some(Read::Items(Items::of_text(text, 0, self.walk.count, Format::Lines))));
                }
                let find = || rest.find('\n').map_or(rest.len(), |newline| newline + 1);
                let length = *self.walk.found.get_or_insert_with(find);
                let line = rest.get(..length).unwrap_or_default();
                work.charge(2 + (length.min(PART) / BYTES_CHECKED) as u64);
                // An empty line is not an item.
                if !line.trim().is_empty() {
                    let skim = self.walk.skim.get_or_insert_with(|| Skim::new(0));
                    let line = line.strip_suffix('\n').unwrap_or(line);
                    let checked = skim.document(line.strip_suffix('\r').unwrap_or(line), PART).map_err(|error| {
                        let before = self.text.get(..self.walk.at).unwrap_or_default().matches('\n').count();
                        format!("Line {} is not valid JSON: {error}", before + 1)
                    });
                    if !checked? {
                        return Ok(None);
                    }
                    self.walk.count += 1;
                    self.walk.skim = None;
                }
                self.walk.at += length;
                self.walk.found = None;
            }
            Stage::Rows { begin, format } => {
                let Format::Rows { delimiter, .. } = format else { return Ok(None) };
                let Some((_, end)) = csv::row(&self.text, self.walk.at, *delimiter) else {
                    let text = std::mem::take(&mut self.text);
                    return Ok(Some(Read::Items(Items::of_text(text, *begin, self.walk.count, format.clone()))));
                };
                work.charge(2 + (end - self.walk.at) as u64 / 2);
                self.walk.at = end;
                self.walk.count += 1;
            }
        }
        Ok(None)
    }

    fn go_to(&mut self, stage: Stage) {
        self.stage = stage;
        self.walk = Walk::default();
    }
}

impl Walk {
    /// Finds the byte offset of the value of a container's member or element; of members with the same name the last one. The
    /// text must be JSON.
    fn part(&mut self, text: &str, container: usize, name: &str, work: &Work) -> Partial<Option<usize>> {
        Ok(self.scan(text, container, Some(name), work)?.map(|(_, found)| found))
    }

    /// Scans the parts of a container. Returns where it ends, and where the part with a name begins. The text must be JSON.
    fn scan(&mut self, text: &str, container: usize, name: Option<&str>, work: &Work) -> Partial<(usize, Option<usize>)> {
        let object = match text.as_bytes().get(container) {
            Some(b'{') => true,
            Some(b'[') => false,
            _ => return Ok(Some((container, None))),
        };
        let index: Option<u64> = name.filter(|_| !object).and_then(|name| name.parse().ok());
        // An array has no members.
        if !object && name.is_some() && index.is_none() {
            return Ok(Some((container, None)));
        }
        self.at = self.at.max(container + 1);
        while !work.is_done() {
            if let Some(skim) = &mut self.skim {
                match skim.value(text, PART).map_err(not_json)? {
                    Some(end) => {
                        work.charge(1 + ((end - self.at).min(PART) / BYTES_CHECKED) as u64);
                        self.at = end;
                        self.count += 1;
                        self.skim = None;
                    }
                    None => work.charge((PART / BYTES_CHECKED) as u64),
                }
                continue;
            }
            self.at = source::element(text, self.at);
            if matches!(text.as_bytes().get(self.at), None | Some(b']' | b'}')) {
                return Ok(Some((self.at, self.found)));
            }
            let here = if object {
                let (key, end) = json::parse_at(text, self.at).map_err(not_json)?;
                self.at = source::element(text, source::element(text, end) + 1);
                key.as_str() == name
            } else {
                index == Some(self.count)
            };
            if here {
                self.found = Some(self.at);
            }
            self.skim = Some(Skim::new(self.at));
        }
        Ok(None)
    }
}

/// Returns the member that begins at a byte offset of a JSON text, and the offset after it.
fn member(text: &str, at: usize) -> Result<(std::sync::Arc<str>, Value, usize), String> {
    let (key, end) = json::parse_at(text, at).map_err(not_json)?;
    let (value, end) = json::parse_at(text, source::element(text, source::element(text, end) + 1)).map_err(not_json)?;
    Ok((key.as_str().unwrap_or_default().into(), value, end))
}

fn not_json(error: JsonError) -> String {
    format!("The file is not valid JSON: {error}")
}
