// The page's policy lets no text become markup or code. What is left is loading our own files as workers: this is the one
// place that allows it, and only for addresses of our own origin. There is no rule for markup, so nothing makes any.

interface Factory {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): unknown;
}

const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;

factory?.createPolicy("default", {
  createScriptURL(address) {
    const url = new URL(address, document.baseURI);
    if (url.origin !== location.origin || !/^https?:$/.test(url.protocol)) throw new TypeError(`no script is loaded from ${url.origin}`);
    return url.href;
  },
});
