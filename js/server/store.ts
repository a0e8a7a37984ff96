// @ts-nocheck: has no types yet.
// Where a server keeps what it knows: the Store, and the one that forgets with the process.
//
// `server.d.ts` says what every store promises; `pkg-tests/server/store-suite.mjs` checks it of any.

/** A write that came too late: somebody else has appended since, or owns the execution now. */
export class StoreConflict extends Error {
  name = "StoreConflict";
  code = "STORE_CONFLICT";
}

// Long histories are kept in pieces, so that a page of one costs a page.
const PIECE_EVENTS = 500;
const PIECE_TEXT = 1 << 18;

/** A Store in memory. */
export class MemoryStore {
  #owner;
  #documents = new Map();
  #definitions = new Map();
  #executions = new Map();
  // Executions in the order in which they began, of each machine and map run and of all.
  #groups = new Map();
  #ended = new Set();
  #tokens = new Map();
  #order = 0;
  #bytes = 0;

  /** Nothing outlives the process: the host need not write before it acts. */
  get durable() {
    return false;
  }

  async open({ owner }) {
    if (this.#owner !== undefined && this.#owner !== owner) throw new StoreConflict(`the store is already open for ${this.#owner}`);
    this.#owner = owner;
  }

  async close() {
    this.#owner = undefined;
  }

  // ------------------------------------------------------------------------------------------------- documents

  async put(collection, key, value) {
    if (!this.#documents.has(collection)) this.#documents.set(collection, new Map());
    this.#documents.get(collection).set(key, JSON.stringify(value));
  }

  async remove(collection, key) {
    this.#documents.get(collection)?.delete(key);
  }

  async *all(collection) {
    for (const [key, value] of [...(this.#documents.get(collection) ?? [])]) yield [key, JSON.parse(value)];
  }

  async putDefinition(hash, text) {
    this.#definitions.set(hash, text);
  }

  async getDefinition(hash) {
    return this.#definitions.get(hash);
  }

  // ------------------------------------------------------------------------------------------------ executions

  async create(about) {
    const known = this.#executions.get(about.id);
    if (known !== undefined) return { outcome: "exists", about: known.about };
    const record = {
      about: { ...about, order: ++this.#order },
      seq: 0,
      fence: 1,
      journal: [],
      pieces: [],
      events: 0,
      outbox: new Map(),
      timers: new Map(),
      tokens: new Set(),
      snapshot: undefined,
      bytes: 0,
    };
    this.#executions.set(about.id, record);
    for (const group of groupsOf(record.about)) {
      if (!this.#groups.has(group)) this.#groups.set(group, []);
      this.#groups.get(group).push(record);
    }
    this.#weigh(record, textSize(about.input));
    return { outcome: "created", about: record.about };
  }

  async append(id, batch) {
    this.#append(id, batch);
  }

  async appendMany(batches) {
    return batches.map(([id, batch]) => {
      try {
        this.#append(id, batch);
        return { ok: true };
      } catch (error) {
        return { ok: false, error };
      }
    });
  }

  #append(id, { expectedSeq, fence, facts = [], history, outbox = [], done = [], timers = {}, tokens = {}, about, snapshot }) {
    const record = this.#executions.get(id);
    if (record === undefined) throw new StoreConflict(`there is no execution ${id}`);
    if (fence !== undefined && fence !== record.fence) throw new StoreConflict(`fence ${fence} of ${id} is stale`);
    if (expectedSeq !== record.seq) throw new StoreConflict(`${id} is at sequence number ${record.seq}, not ${expectedSeq}`);
    record.seq += facts.length;
    record.journal.push(...facts);
    if (history !== undefined && history.count > 0) this.#keep(record, history);
    for (const command of outbox) record.outbox.set(command.id, command);
    for (const command of done) record.outbox.delete(command);
    for (const { id: timer, at } of timers.set ?? []) record.timers.set(timer, at);
    for (const timer of timers.clear ?? []) record.timers.delete(timer);
    for (const { token, command } of tokens.put ?? []) {
      record.tokens.add(token);
      this.#tokens.set(token, { id, command });
    }
    for (const token of tokens.del ?? []) {
      record.tokens.delete(token);
      this.#tokens.delete(token);
    }
    if (snapshot !== undefined) {
      this.#weigh(record, textSize(snapshot?.text) - textSize(record.snapshot?.text));
      record.snapshot = snapshot === null ? undefined : snapshot;
      if (snapshot !== null) record.journal = record.journal.slice(Math.max(record.journal.length - (record.seq - snapshot.seq), 0));
    }
    if (about !== undefined) {
      this.#weigh(record, textSize(about.output) + textSize(about.cause) - textSize(record.about.output) - textSize(record.about.cause));
      record.about = Object.fromEntries(Object.entries({ ...record.about, ...about }).filter(([, value]) => value !== undefined));
      if (record.about.status === "RUNNING") this.#ended.delete(record);
      else this.#ended.add(record);
    }
  }

  /** Appends events of the history, which come as one JSON text. */
  #keep(record, { text, count }) {
    this.#weigh(record, text.length);
    if (count <= PIECE_EVENTS || text.length <= PIECE_TEXT) {
      record.pieces.push({ from: record.events, count, text });
      record.events += count;
      return;
    }
    const events = JSON.parse(text);
    for (let from = 0; from < events.length; from += PIECE_EVENTS) {
      const piece = events.slice(from, from + PIECE_EVENTS);
      record.pieces.push({ from: record.events, count: piece.length, text: JSON.stringify(piece) });
      record.events += piece.length;
    }
  }

  async load(id) {
    const record = this.#executions.get(id);
    if (record === undefined) return undefined;
    const { about, seq, fence, snapshot, journal } = record;
    return { about, seq, fence, snapshot, facts: [...journal] };
  }

  async get(id) {
    return this.#executions.get(id)?.about;
  }

  async history(id, { from = 0, limit, reverse = false } = {}) {
    const record = this.#executions.get(id);
    if (record === undefined) return undefined;
    const count = Math.max(0, Math.min(limit ?? Infinity, record.events - from));
    const first = reverse ? record.events - from - count : from;
    const events = [];
    for (const piece of record.pieces) {
      if (piece.from + piece.count <= first || piece.from >= first + count) continue;
      const all = JSON.parse(piece.text);
      events.push(...all.slice(Math.max(first - piece.from, 0), first + count - piece.from));
    }
    return { events: reverse ? events.reverse() : events, total: record.events };
  }

  async list({ machine, mapRun, matches } = {}, { before = Infinity, limit = 100 } = {}) {
    const group = this.#groups.get(mapRun !== undefined ? `run ${mapRun}` : machine !== undefined ? `machine ${machine}` : "all") ?? [];
    const items = [];
    for (let i = newest(group, before); i >= 0; i--) {
      const { about } = group[i];
      if (matches !== undefined && !matches(about)) continue;
      if (items.length === limit) return { items, before: items.at(-1).order };
      items.push(about);
    }
    return { items };
  }

  async *pending() {
    for (const { about, outbox, timers, tokens } of [...this.#executions.values()]) {
      if (about.status === "RUNNING") yield { id: about.id, outbox: [...outbox.values()], timers: [...timers].map(([id, at]) => ({ id, at })), tokens: [...tokens] };
    }
  }

  async dueTimers(now, limit = 100) {
    const due = [];
    for (const { about, timers } of this.#executions.values()) for (const [timer, at] of timers) if (at <= now) due.push({ execution: about.id, id: timer, at });
    return due.sort((a, b) => a.at - b.at).slice(0, limit);
  }

  async findToken(token) {
    return this.#tokens.get(token);
  }

  async claim(id) {
    return this.#executions.get(id)?.fence;
  }

  async prune({ endedBefore, executions = Infinity, bytes = Infinity, ids } = {}) {
    const gone = [];
    const drop = (record) => {
      gone.push(record.about.id);
      this.#drop(record);
    };
    for (const id of ids ?? []) if (this.#executions.has(id)) drop(this.#executions.get(id));
    // In the order in which they ended.
    for (const record of this.#ended) {
      const old = endedBefore !== undefined && record.about.stopDate < endedBefore;
      if (!old && this.#ended.size <= executions && this.#bytes <= bytes) break;
      drop(record);
    }
    return gone;
  }

  #drop(record) {
    this.#executions.delete(record.about.id);
    this.#ended.delete(record);
    this.#bytes -= record.bytes;
    for (const token of record.tokens) this.#tokens.delete(token);
    for (const group of groupsOf(record.about)) {
      const members = this.#groups.get(group);
      // The oldest go first, as a rule.
      const at = members[0] === record ? 0 : newest(members, record.about.order + 1);
      members.splice(at, 1);
      if (members.length === 0) this.#groups.delete(group);
    }
  }

  #weigh(record, bytes) {
    record.bytes += bytes;
    this.#bytes += bytes;
  }
}

function groupsOf({ machineArn, mapRunArn }) {
  // The children of a map run are listed with it alone.
  return mapRunArn === undefined ? ["all", `machine ${machineArn}`] : [`run ${mapRunArn}`];
}

/** The index of the last member that began before `order`; -1 for none. */
function newest(members, order) {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (members[middle].about.order < order) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function textSize(text) {
  return typeof text === "string" ? text.length : 0;
}
