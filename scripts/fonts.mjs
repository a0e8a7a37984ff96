// The fonts that the page is tried in, besides the one of the machine: a narrow one, a wide one, one with tall lines.
//
//   node scripts/fonts.mjs     gets those that are missing
//
// They come from Debian's packages, are unpacked beside the tests and not installed: nothing of the machine changes, and
// nobody needs to be root. Only the browsers of the tests see them, by a file of fontconfig. Where there is no apt or no
// fontconfig the tests run with what is there, and say what was missing.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { output, root } from "./steps.mjs";

const folder = join(root, "pkg-tests/.cache/fonts");

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

/** Why a font cannot be had here; `undefined` where it can. */
export function missingFont(name) {
  if (process.platform !== "linux") return "only Linux has fontconfig";
  const lacking = FONTS[name].files.filter(({ pattern }) => !has(pattern));
  return lacking.length === 0
    ? undefined
    : `${lacking.map(({ packages }) => packages.at(-1)).join(" and ")} is not there: node scripts/fonts.mjs`;
}

/** Gets what is missing, and says why what is still missing cannot be had: `{wide: "…"}`. */
export function getFonts() {
  if (process.platform === "linux") {
    let listed = false;
    for (const { packages, pattern } of Object.values(FONTS).flatMap(({ files }) => files)) {
      if (has(pattern) || get(packages, pattern)) continue;
      // The lists of packages are empty in most containers.
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
 * The environment of a browser that knows these fonts by their names; with one of them it is also what the machine's own
 * generic families are, as on a machine that has no other.
 */
export function fontEnvironment(name) {
  const problem = name && (Object.hasOwn(FONTS, name) ? missingFont(name) : `known are ${Object.keys(FONTS).join(", ")}`);
  if (problem) throw new Error(`STEPGLASS_FONT=${name}: ${problem}`);
  if (process.platform !== "linux" || !existsSync(folder)) return {};
  const generic = {
    sans: ["sans-serif", "sans", "system-ui", "ui-sans-serif", "DejaVu Sans"],
    mono: ["monospace", "ui-monospace", "DejaVu Sans Mono"],
  };
  const first = Object.entries(name ? generic : {}).flatMap(([kind, families]) =>
    families.map(
      (family) =>
        `<match target="pattern"><test name="family"><string>${family}</string></test><edit name="family" mode="assign" binding="strong"><string>${FONTS[name][kind]}</string></edit></match>`,
    ),
  );
  const file = join(folder, `${name ?? "all"}.conf`);
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    ...first,
    '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>',
    `<dir>${folder}</dir>`,
    `<cachedir>${join(folder, "cache")}</cachedir>`,
    "</fontconfig>",
    "",
  ];
  // Whole at every moment: other test files begin at the same time.
  writeFileSync(`${file}.${process.pid}`, lines.join("\n"));
  renameSync(`${file}.${process.pid}`, file);
  return { FONTCONFIG_FILE: file };
}

function has(pattern) {
  return existsSync(folder) && readdirSync(folder).some((name) => pattern.test(name));
}

/** Unpacks the files of the first of the packages that has them. */
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
