/** Offers a text or the contents of a file as a download. */
export function save(name: string, contents: string | Blob, type = "application/octet-stream"): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(contents instanceof Blob ? contents : new Blob([contents], { type }));
  link.download = name.replace(/[^\p{L}\p{N}._ -]/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
