// The part of VS Code's API that the extension uses, with documents in memory. It records what the extension registers.
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";

class Uri {
  constructor(scheme, authority, path) {
    Object.assign(this, { scheme, authority, path });
  }
  static from({ scheme, authority = "", path }) {
    return new Uri(scheme, authority, path);
  }
  static file(path) {
    return new Uri("file", "", path);
  }
  static parse(text) {
    const [, scheme, , authority = "", path] = /^([\w+.-]+):(\/\/([^/]*))?(.*)$/.exec(text);
    return new Uri(scheme, decodeURIComponent(authority), decodeURIComponent(path));
  }
  static joinPath(base, ...parts) {
    return new Uri(base.scheme, base.authority, [base.path.replace(/\/$/, ""), ...parts].join("/"));
  }
  get fsPath() {
    return this.path;
  }
  toString() {
    const path = this.path.split("/").map(encodeURIComponent).join("/");
    return `${this.scheme}://${this.authority}${path}`;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(a, b, c, d) {
    this.start = typeof a === "number" ? new Position(a, b) : a;
    this.end = typeof a === "number" ? new Position(c, d) : b;
  }
}

class Plain {
  constructor(...given) {
    this.given = given;
  }
}

/** A document in memory. */
export function documentOf(uri, text, languageId) {
  return { uri, languageId, isDirty: false, version: 1, getText: () => text };
}

/** The memory of a workspace. Values are copied, as the editor stores them as JSON. */
export function mementoOf() {
  const values = new Map();
  return {
    get: (name, otherwise) => (values.has(name) ? JSON.parse(values.get(name)) : otherwise),
    update: async (name, value) => void values.set(name, JSON.stringify(value)),
  };
}

/** Creates an editor: `vscode` is the module, `registered` what the extension has registered, by kind and name. */
export function createEditor({ documents = [], files = new Map(), folder, isTrusted = true } = {}) {
  const registered = {
    commands: new Map(),
    adapters: new Map(),
    configurations: new Map(),
    customEditors: new Map(),
    lenses: [],
    inlineValues: [],
    profiles: [],
    trackers: new Map(),
    trees: new Map(),
    /** What a test fires as the editor would. */
    fire: {},
  };
  const shown = [];
  const started = [];
  const nothing = { dispose() {} };
  const event = () => nothing;
  const items = () => {
    const all = new Map();
    return {
      add: (item) => all.set(item.id, item),
      replace: (list) => list.forEach((item) => all.set(item.id, item)),
      delete: (id) => all.delete(id),
      [Symbol.iterator]: () => all[Symbol.iterator](),
    };
  };
  const vscode = {
    Uri,
    Position,
    Range,
    Selection: Range,
    CodeLens: class {
      constructor(range, command) {
        Object.assign(this, { range, command });
      }
    },
    EventEmitter: class {
      event = () => nothing;
      fire() {}
      dispose() {}
    },
    ThemeIcon: class {
      constructor(id) {
        this.id = id;
      }
    },
    TreeItem: class {
      constructor(label) {
        this.label = label;
      }
    },
    InlineValueEvaluatableExpression: class {
      constructor(range, expression) {
        Object.assign(this, { range, expression });
      }
    },
    DebugAdapterInlineImplementation: class {
      constructor(implementation) {
        this.implementation = implementation;
      }
    },
    TestRunProfileKind: { Run: 1, Debug: 2, Coverage: 3 },
    TextEditorRevealType: {},
    ViewColumn: { Beside: -2 },
    commands: {
      registerCommand: (name, run) => (registered.commands.set(name, run), nothing),
      executeCommand: async () => undefined,
    },
    debug: {
      breakpoints: [],
      registerDebugAdapterDescriptorFactory: (type, factory) => (registered.adapters.set(type, factory), nothing),
      registerDebugConfigurationProvider: (type, provider) => (registered.configurations.set(type, provider), nothing),
      onDidReceiveDebugSessionCustomEvent: (listen) => ((registered.fire.custom = listen), nothing),
      onDidChangeActiveDebugSession: event,
      onDidStartDebugSession: (listen) => ((registered.fire.started = listen), nothing),
      onDidTerminateDebugSession: event,
      registerDebugAdapterTrackerFactory: (type, factory) => (registered.trackers.set(type, factory), nothing),
      startDebugging: async (_folder, config, options) => (started.push({ config, options }), true),
    },
    languages: {
      registerCodeLensProvider: (_selector, provider) => (registered.lenses.push(provider), nothing),
      registerInlineValuesProvider: (_selector, provider) => (registered.inlineValues.push(provider), nothing),
    },
    tests: {
      createTestController: () => ({
        items: items(),
        dispose() {},
        createRunProfile: (label, kind) => {
          const profile = { label, kind };
          registered.profiles.push(profile);
          return profile;
        },
        createTestItem: (id, label, uri) => ({ id, label, uri, children: items() }),
      }),
    },
    window: {
      activeTextEditor: documents[0] && { document: documents[0] },
      tabGroups: { activeTabGroup: {} },
      visibleTextEditors: [],
      registerCustomEditorProvider: (name, provider) => (registered.customEditors.set(name, provider), nothing),
      onDidChangeTextEditorSelection: event,
      registerTreeDataProvider: (name, provider) => (registered.trees.set(name, provider), nothing),
      showInformationMessage: async (message) => void shown.push(message),
    },
    workspace: {
      isTrusted,
      textDocuments: documents,
      workspaceFolders: folder && [{ uri: folder, name: "folder", index: 0 }],
      getConfiguration: () => ({ get: (_name, otherwise) => otherwise }),
      getWorkspaceFolder: () => undefined,
      asRelativePath: (uri) => uri.path,
      findFiles: async () => [],
      createFileSystemWatcher: () => ({ onDidCreate: event, onDidChange: event, onDidDelete: event, dispose() {} }),
      onDidOpenTextDocument: event,
      onDidChangeTextDocument: event,
      onDidSaveTextDocument: event,
      fs: {
        async readFile(uri) {
          const found = files.get(uri.toString());
          if (found === undefined) throw new Error(`no file ${uri}`);
          return found;
        },
      },
    },
  };
  return { vscode, registered, shown, started };
}

/** Loads a bundle of the extension with this module as `vscode`. */
export function loadWith(vscode, file) {
  // What only the client of the language server extends or creates, which does not start here.
  for (const [, name] of readFileSync(file, "utf8").matchAll(/\.([A-Z]\w+)/g)) vscode[name] ??= Plain;
  const load = Module._load;
  Module._load = function (name, ...others) {
    return name === "vscode" ? vscode : load.call(this, name, ...others);
  };
  try {
    const require = createRequire(import.meta.url);
    delete require.cache[require.resolve(file)];
    return require(file);
  } finally {
    Module._load = load;
  }
}
