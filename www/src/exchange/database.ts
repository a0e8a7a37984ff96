// A database of the browser that the tabs of the page share.

/**
 * Opens a database with the first request. `make` creates the stores of a new one. `need` throws if the page has no such storage.
 */
export function sharedDatabase(
  name: string,
  version: number,
  make: (database: IDBDatabase) => void,
  need: () => void,
): () => Promise<IDBDatabase> {
  let opening: Promise<IDBDatabase> | undefined;
  return () => {
    opening ??= new Promise<IDBDatabase>((resolve, reject) => {
      need();
      const request = indexedDB.open(name, version);
      request.onupgradeneeded = () => make(request.result);
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const { result } = request;
        // Another tab deletes the database, or has a newer version of the page.
        const close = (): void => {
          result.close();
          opening = undefined;
        };
        result.onversionchange = close;
        result.onclose = close;
        resolve(result);
      };
    });
    opening.catch(() => (opening = undefined));
    return opening;
  };
}
