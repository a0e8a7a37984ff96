// What an environment of scripts/elsewhere.mjs is made of: releases of Node, locales, sets of fonts, another date. Everything is
// fetched once into pkg-tests/.cache/elsewhere and nothing is installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { npm } from "../setup.mjs";
import { fingerprint, output, root } from "../steps.mjs";

const cache = join(root, "pkg-tests/.cache/elsewhere");

/** The program of a release of Node: a major version, or "latest". The npm package `node` names a package with it for each system. */
export function nodeOf(release) {
  const folder = join(cache, `node-${release}`);
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const program = join(folder, "node_modules", name, "bin/node");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const [command, args] = npm("install", "--prefix", folder, "--no-save", "--no-package-lock", `${name}@${release}`);
    const { status } = spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0 || !existsSync(program)) throw new Error(`Node ${release} could not be fetched as the npm package ${name}`);
  }
  return program;
}

/** The files of a Debian package, unpacked in the cache; `undefined` if it cannot be had. */
function unpacked(name) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const place = mkdtempSync(join(tmpdir(), "stepglass-elsewhere-"));
  try {
    const get = () => output("apt-get", ["download", "-qq", name], { cwd: place, stdio: ["ignore", "pipe", "ignore"] });
    if (get() === undefined && (output("apt-get", ["update", "-qq"]) === undefined || get() === undefined)) return undefined;
    const archive = readdirSync(place).find((file) => file.endsWith(".deb"));
    mkdirSync(cache, { recursive: true });
    return archive !== undefined && output("dpkg-deb", ["--extract", join(place, archive), folder]) !== undefined ? folder : undefined;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The library that moves a program's clock (clock.c), for LD_PRELOAD; `undefined` where it cannot be compiled. */
export function clockLibrary() {
  if (process.platform !== "linux") return undefined;
  const source = join(import.meta.dirname, "clock.c");
  const library = join(cache, `clock-${fingerprint([relative(root, source)]).slice(0, 12)}.so`);
  if (existsSync(library)) return library;
  mkdirSync(cache, { recursive: true });
  return output("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"]) === undefined ? undefined : library;
}

/** A folder with these locales, for LOCPATH; `undefined` if they cannot be made, so that only ICU and V8 follow them. */
export function localesOf(names) {
  const folder = join(cache, "locales");
  if (existsSync(folder)) return folder;
  if (process.platform !== "linux" || output("localedef", ["--version"]) === undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  for (const name of names.filter((name) => name.includes("."))) {
    const [language, charset] = name.split(".");
    output("localedef", ["-i", language, "-f", charset, join(folder, name)]);
  }
  if (readdirSync(folder).length > 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

/** Configurations of fontconfig: with the fonts that Debian's Chromium recommends, and without. `undefined` where there is no fontconfig. */
export function fontsOf() {
  if (process.platform !== "linux" || !existsSync("/etc/fonts/fonts.conf")) return undefined;
  const liberation = unpacked("fonts-liberation");
  if (liberation === undefined) return undefined;
  const write = (name, lines) => {
    const file = join(cache, `fonts-${name}.conf`);
    const begin = ['<?xml version="1.0"?>', '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">', "<fontconfig>"];
    writeFileSync(file, [...begin, "<include>/etc/fonts/fonts.conf</include>", ...lines, "</fontconfig>", ""].join("\n"));
    return file;
  };
  return {
    recommended: write("recommended", [`<dir>${liberation}</dir>`]),
    without: write("without", ["<selectfont><rejectfont><glob>*/liberation*</glob></rejectfont></selectfont>"]),
  };
}
