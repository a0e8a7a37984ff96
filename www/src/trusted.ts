// The page's policy (Trusted Types) forbids turning text into markup or code. Only our own files may be loaded as workers, and
// this is the one module that allows it, for addresses of our own origin. There is no policy for markup, so nothing can create
// any.

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
