//! Splits the module in two, for browsers: the functions that are needed first, and the rest, which is loaded when one of its
//! functions is called.
//!
//! The functions of the first part are measured and not listed: `mark` creates a module that records which of its functions
//! were called, `scripts/parts.mjs` exercises it, and `cut` puts the called functions into the first part.
//!
//! The two parts are one program: the rest uses the first part's memory, tables and globals. Where the first part calls a
//! function of the rest there is a stub, which loads the rest if needed, and calls through the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind, GlobalId, GlobalKind,
    ImportedFunction, LocalFunction, Module, ModuleConfig, TableId, ValType,
};

use crate::Result;

/// The prefix of the export for a function's mark; the function's number follows.
const MARK: &str = "mark ";
/// The module of the glue's imports, and the import that loads the rest.
const GLUE: &str = "./glue_bg.js";
pub const LOAD: &str = "__load_rest";
/// Maximum number of instructions of a function that is not worth a stub: if the first part refers to it, it stays there.
const SMALL: u64 = 2;
/// The name by which the rest imports from the first part.
const FIRST: &str = "first";

/// Writes a module that sets the exported global `mark N` when its function `N` is called.
pub fn mark(from: &Path, to: &Path) -> Result<()> {
    let mut module = read(from)?;
    let functions: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
    for id in functions {
        let called = module.globals.add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
        module.exports.add(&format!("{MARK}{}", id.index()), called);
        let function = module.funcs.get_mut(id).kind.unwrap_local_mut();
        function.builder_mut().func_body().const_at(0, Value::I32(1)).global_set_at(1, called);
    }
    write(module, to)
}

/// Writes the part of the module with the functions `kept`, by number, and the part with all others.
pub fn cut(from: &Path, kept: &BTreeSet<usize>, first: &Path, rest: &Path, pages: Option<u64>) -> Result<()> {
    let whole = read(from)?;
    let plan = Plan { pages, ..Plan::new(&whole, kept)? };
    keep(read(from)?, &plan, first)?;
    move_away(read(from)?, &plan, rest)
}

/// The dependencies between the two parts. Numbers are those of the whole module, whose order all copies share.
struct Plan {
    moved: BTreeSet<usize>,
    /// The functions of the rest to which the first part refers, and the index of each in the table.
    places: BTreeMap<usize, u64>,
    /// The functions of the first part to which the rest refers.
    lent: BTreeSet<usize>,
    /// The length of the table of functions without these.
    length: u64,
    /// The limit of the memory in pages, if it differs from that of the whole module.
    pages: Option<u64>,
}

impl Plan {
    fn new(whole: &Module, kept: &BTreeSet<usize>) -> Result<Plan> {
        let mut of_first = Named::default();
        for element in whole.elements.iter() {
            match &element.items {
                ElementItems::Functions(functions) => of_first.0.extend(functions.iter().map(|id| id.index())),
                ElementItems::Expressions(..) => {
                    return Err("a table is filled by expressions, which the cut does not know".to_owned());
                }
            }
        }
        of_first.0.extend(whole.exports.iter().filter_map(|export| match export.item {
            ExportItem::Function(id) => Some(id.index()),
            _ => None,
        }));
        let mut moved: BTreeSet<usize> = whole.funcs.iter_local().map(|(id, _)| id.index()).collect();
        // These are the functions that were called, and, step by step, the small ones to which they refer.
        let mut staying: Vec<usize> = moved.intersection(kept).copied().collect();
        let functions: BTreeMap<usize, &LocalFunction> =
            whole.funcs.iter_local().map(|(id, function)| (id.index(), function)).collect();
        while !staying.is_empty() {
            for number in &staying {
                moved.remove(number);
                dfs_in_order(&mut of_first, functions[number], functions[number].entry_block());
            }
            staying = of_first.0.intersection(&moved).copied().filter(|number| functions[number].size() <= SMALL).collect();
        }
        let mut of_rest = Named::default();
        for number in &moved {
            dfs_in_order(&mut of_rest, functions[number], functions[number].entry_block());
        }
        let length = whole.tables.get(functions_table(whole)?).initial;
        let places = of_first.0.intersection(&moved).copied().zip(length..).collect();
        let lent = of_rest.0.difference(&moved).copied().collect();
        Ok(Plan { moved, places, lent, length, pages: None })
    }

    /// Limits the memory.
    fn limit(&self, memory: &mut walrus::Memory) {
        memory.maximum = self.pages.or(memory.maximum);
    }

    /// Extends the table of functions to the length that both parts together need.
    fn make_room(&self, module: &mut Module, table: TableId) {
        let table = module.tables.get_mut(table);
        table.initial = self.length + self.places.len() as u64;
        table.maximum = table.maximum.map(|most| most.max(table.initial));
    }
}

/// The functions to which instructions refer.
#[derive(Default)]
struct Named(BTreeSet<usize>);

impl<'instr> Visitor<'instr> for Named {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.0.insert(function.index());
    }
}

/// Writes the first part: it has stubs instead of moved functions, and exports everything that the rest needs.
fn keep(mut module: Module, plan: &Plan, to: &Path) -> Result<()> {
    let nothing = module.types.add(&[], &[]);
    let (load, _) = module.add_import_func(GLUE, LOAD, nothing);
    let loaded = module.globals.add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
    let mut ensure = FunctionBuilder::new(&mut module.types, &[], &[]);
    ensure.func_body().global_get(loaded).if_else(
        None,
        |_| {},
        |missing| {
            missing.call(load).const_(Value::I32(1)).global_set(loaded);
        },
    );
    let ensure = ensure.finish(Vec::new(), &mut module.funcs);

    let called = functions_table(&module)?;
    let functions: BTreeMap<usize, FunctionId> =
        module.funcs.iter().map(|function| (function.id().index(), function.id())).collect();
    for (number, place) in &plan.places {
        let id = functions[number];
        let ty = module.funcs.get(id).ty();
        let (params, results) = module.types.params_results(ty);
        let (params, results) = (params.to_vec(), results.to_vec());
        let arguments: Vec<_> = params.iter().map(|ty| module.locals.add(*ty)).collect();
        let mut stub = FunctionBuilder::new(&mut module.types, &params, &results);
        let mut body = stub.func_body();
        body.call(ensure);
        for argument in &arguments {
            body.local_get(*argument);
        }
        body.const_(Value::I32(i32::try_from(*place).map_err(text)?)).call_indirect(ty, called);
        module.funcs.get_mut(id).kind = FunctionKind::Local(stub.local_func(arguments));
    }
    plan.make_room(&mut module, called);

    for number in &plan.lent {
        module.exports.add(&lent('f', *number), functions[number]);
    }
    let globals: Vec<GlobalId> = module.globals.iter().map(|global| global.id()).filter(|id| *id != loaded).collect();
    for id in globals {
        module.exports.add(&lent('g', id.index()), id);
    }
    let tables: Vec<TableId> = module.tables.iter().map(|table| table.id()).collect();
    for id in tables {
        module.exports.add(&lent('t', id.index()), id);
    }
    let memory = module.memories.iter().next().ok_or("the module has no memory")?.id();
    module.exports.add(&lent('m', 0), memory);
    plan.limit(module.memories.get_mut(memory));
    write(module, to)
}

/// Writes the rest: the moved functions, which are put into their slots of the first part's table.
fn move_away(mut module: Module, plan: &Plan, to: &Path) -> Result<()> {
    let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
    exports.into_iter().for_each(|id| module.exports.delete(id));
    let elements: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
    elements.into_iter().for_each(|id| module.elements.delete(id));
    module.tables.iter_mut().for_each(|table| table.elem_segments.clear());
    let data: Vec<_> = module.data.iter().map(|data| data.id()).collect();
    data.into_iter().for_each(|id| module.data.delete(id));
    module.memories.iter_mut().for_each(|memory| memory.data_segments.clear());
    module.start = None;

    // No import is deleted here: unused ones are left out when the module is written.
    let functions: Vec<FunctionId> = module.funcs.iter().map(|function| function.id()).collect();
    for id in functions.iter().copied().filter(|id| !plan.moved.contains(&id.index())) {
        let import = module.imports.add(FIRST, &lent('f', id.index()), id);
        let ty = module.funcs.get(id).ty();
        if let FunctionKind::Import(other) = &module.funcs.get(id).kind {
            module.imports.delete(other.import);
        }
        module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }
    let globals: Vec<GlobalId> = module.globals.iter().map(|global| global.id()).collect();
    for id in globals {
        let import = module.imports.add(FIRST, &lent('g', id.index()), id);
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
    let tables: Vec<TableId> = module.tables.iter().map(|table| table.id()).collect();
    for id in tables {
        let import = module.imports.add(FIRST, &lent('t', id.index()), id);
        module.tables.get_mut(id).import = Some(import);
    }
    let memory = module.memories.iter().next().ok_or("the module has no memory")?.id();
    let import = module.imports.add(FIRST, &lent('m', 0), memory);
    module.memories.get_mut(memory).import = Some(import);
    plan.limit(module.memories.get_mut(memory));

    let called = functions_table(&module)?;
    plan.make_room(&mut module, called);
    let placed = functions.into_iter().filter(|id| plan.places.contains_key(&id.index())).collect();
    let offset = ConstExpr::Value(Value::I32(i32::try_from(plan.length).map_err(text)?));
    let element = module.elements.add(ElementKind::Active { table: called, offset }, ElementItems::Functions(placed));
    module.tables.get_mut(called).elem_segments.insert(element);
    write(module, to)
}

/// Returns the table for indirect calls of functions.
fn functions_table(module: &Module) -> Result<TableId> {
    module.tables.main_function_table().map_err(text)?.ok_or_else(|| "the module has no table of functions".to_owned())
}

/// Returns the name under which the first part exports an item for the rest.
fn lent(kind: char, number: usize) -> String {
    format!("{kind}{number}")
}

fn read(path: &Path) -> Result<Module> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    config.parse_file(path).map_err(|error| format!("{}: {error:#}", path.display()))
}

fn write(mut module: Module, to: &Path) -> Result<()> {
    walrus::passes::gc::run(&mut module);
    // The section is for linkers; browsers detect features themselves.
    module.customs.remove_raw("target_features");
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::write(to, module.emit_wasm()).map_err(|error| format!("{}: {error}", to.display()))
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
