// Installs the fonts with which the page is tested, in addition to those of the machine: a narrow one, a wide one, and one with
// tall lines.
//
//   node scripts/fonts.mjs     downloads the missing ones
//
// They come from Debian's packages, which are unpacked next to the tests and not installed. So the machine does not change, and
// no root permission is needed. Only the browsers of the tests see them, by a file of fontconfig. Where there is no apt or no
// fontconfig the tests run with what is there, and say what was missing.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { output, root } from "./steps.mjs";

const folder = join(root, "pkg-tests/.cache/fonts");
/** The font configuration of this machine, or its replacement. It is read before any browser of the tests starts. */
const machine = process.env.FONTCONFIG_FILE ?? "/etc/fonts/fonts.conf";

/**
 * By name: the families of `--sans` and `--mono`, and the files of each package. Beside DejaVu Sans, which Debian's Chromium
 * brings, a line of text is a quarter narrower, a quarter wider, or a third taller. Where a package has another name in
 * another release, both are tried.
 */
export const FONTS = {
  narrow: {
    sans: "Liberation Sans Narrow",
    mono: "Inconsolata",
    files: [
      { packages: ["fonts-liberation-sans-narrow", "fonts-liberation"], pattern: /^LiberationSansNarrow-(Regular|Bold)\.ttf$/ },
      { packages: ["fonts-inconsolata"], pattern: /^Inconsolata\.[ot]tf$/ },
    ],
  },
  wide: { sans: "B612 Mono", mono: "B612 Mono", files: [{ packages: ["fonts-b612"], pattern: /^B612Mono-(Regular|Bold)\.[ot]tf$/ }] },
  tall: { sans: "Andika", mono: "Andika", files: [{ packages: ["fonts-sil-andika"], pattern: /^Andika-(Regular|Bold)\.ttf$/ }] },
};

/** Returns why a font is not available here; `undefined` if it is. */
export function missingFont(name) {
  if (process.platform !== "linux") return "only Linux has fontconfig";
  const lacking = FONTS[name].files.filter(({ pattern }) => !has(pattern));
  return lacking.length === 0
    ? undefined
    : `${lacking.map(({ packages }) => packages.at(-1)).join(" and ")} is not there: node scripts/fonts.mjs`;
}

/** Downloads the missing fonts. Returns why others are not available: `{wide: "…"}`. */
export function getFonts() {
  if (process.platform === "linux") {
    let listed = false;
    for (const { packages, pattern } of Object.values(FONTS).flatMap(({ files }) => files)) {
      if (has(pattern) || get(packages, pattern)) continue;
      // Most containers have no package lists.
      if (!listed && process.getuid() === 0) output("apt-get", ["update", "-qq"]);
      listed = true;
      get(packages, pattern);
    }
  }
  return Object.fromEntries(
    Object.keys(FONTS)
      .map((name) => [name, missingFont(name)])
      .filter(([, reason]) => reason !== undefined),
  );
}

/**
 * The environment of a browser that knows these fonts by their names, besides those of the machine. With `name` it is a machine that
 * has no other font than that one: what is installed, and what fontconfig is set to, does not count.
 */
export function fontEnvironment(name) {
  const problem = name && (Object.hasOwn(FONTS, name) ? missingFont(name) : `known are ${Object.keys(FONTS).join(", ")}`);
  if (problem) throw new Error(`STEPGLASS_FONT=${name}: ${problem}`);
  if (process.platform !== "linux" || !existsSync(folder)) return {};
  const file = join(folder, `${name ?? "all"}.conf`);
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    ...(name ? onlyFont(name) : [`<include ignore_missing="yes">${xml(machine)}</include>`, `<dir>${xml(folder)}</dir>`]),
    `<cachedir>${xml(join(folder, "cache"))}</cachedir>`,
    "</fontconfig>",
    "",
  ];
  write(file, lines.join("\n"));
  return { FONTCONFIG_FILE: file };
}

/** Returns the lines of a configuration with one font's files in a separate folder. Its `mono` replaces the monospaced families. */
function onlyFont(name) {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  const files = readdirSync(folder).filter((file) => FONTS[name].files.some(({ pattern }) => pattern.test(file)));
  for (const file of files) if (!existsSync(join(own, file))) write(join(own, file), readFileSync(join(folder, file)));
  const family = (wanted) => `<edit name="family" mode="prepend" binding="strong"><string>${FONTS[name][wanted]}</string></edit>`;
  const code = ["monospace", "ui-monospace", "Courier New", "DejaVu Sans Mono", "Liberation Mono"];
  return [
    `<dir>${xml(own)}</dir>`,
    `<match target="pattern">${family("sans")}</match>`,
    ...code.map((one) => `<match target="pattern"><test name="family"><string>${one}</string></test>${family("mono")}</match>`),
  ];
}

const xml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Writes a file atomically, because other test files start at the same time. */
function write(file, contents) {
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}

function has(pattern) {
  return existsSync(folder) && readdirSync(folder).some((name) => pattern.test(name));
}

/** Unpacks the files of the first package that contains them. */
function get(packages, pattern) {
  mkdirSync(folder, { recursive: true });
  const place = mkdtempSync(join(tmpdir(), "stepglass-fonts-"));
  try {
    for (const name of packages) {
      if (output("apt-get", ["download", "-qq", name], { cwd: place, stdio: ["ignore", "pipe", "ignore"] }) === undefined) continue;
      const archive = readdirSync(place).find((file) => file.startsWith(`${name}_`) && file.endsWith(".deb"));
      if (archive === undefined || output("dpkg-deb", ["--extract", archive, "."], { cwd: place }) === undefined) continue;
      const files = readdirSync(place, { recursive: true }).filter((file) => pattern.test(basename(file)));
      for (const file of files) copyFileSync(join(place, file), join(folder, basename(file)));
      if (files.length > 0) return true;
    }
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const missing = getFonts();
  for (const name of Object.keys(FONTS)) console.log(`${name}: ${missing[name] ?? FONTS[name].sans}`);
}
